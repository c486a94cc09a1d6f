package main

import (
	"context"
	"fmt"
	"time"
)

// activationContests ask ids that nobody has asked before.
func activationContests() []contest {
	var all []contest
	for _, version := range pythons {
		c := contest{
			name: "activations/64-conns", against: "pinned " + version, unit: "activations/s", pace: fewer,
			open: func(_ context.Context, s *stage) (measure, measure, error) {
				// Each request of 0.16.0 walks all residents, so more new ids a round would
				// measure that, not activations; ours needs more to be measured at all.
				return s.activate(ours(roomForAll), 20_000), s.activate(python(version), 1_000), nil
			},
		}
		if version == "0.16.0" {
			c.target = 30
		}
		all = append(all, c)
	}
	return append(all, contest{
		name: "activations/10000-at-once", against: againstLimit, unit: "answers 200", pace: fewer, target: 1,
		open: func(_ context.Context, s *stage) (measure, measure, error) {
			return s.burst(10_000), limit(10_000), nil
		},
	})
}

// running is how long a server answers a resident id before its new ids are
// measured, so that they aren't its start.
const running = time.Second

// activate measures new ids a second on a server of its own each round.
func (s *stage) activate(k kind, count int) measure {
	return func(ctx context.Context) (float64, error) {
		server, err := s.start(ctx, k)
		if err != nil {
			return 0, err
		}
		defer server.stop()
		if _, err := sameIDs(server, 64, 1).run(ctx, running); err != nil {
			return 0, err
		}
		total, err := newIDs(server, 64, 1, count).run(ctx, 0)
		if err == nil && total.ok != count {
			err = fmt.Errorf("%d of %d new ids were answered", total.ok, count)
		}
		return total.rate(), err
	}
}

// burst sends requests for new ids, each on a connection of its own, all at
// once, and counts those that are answered with 200.
func (s *stage) burst(count int) measure {
	return func(ctx context.Context) (float64, error) {
		server, err := s.start(ctx, ours("-max=20000"))
		if err != nil {
			return 0, err
		}
		defer server.stop()
		work := newIDs(server, count, 1, count)
		work.tolerant = true
		share := work.request
		work.request = func(conn, n int) []byte {
			if n > 0 {
				return nil
			}
			return share(conn, n)
		}
		total, err := work.run(ctx, 0)
		return float64(total.ok), err
	}
}
