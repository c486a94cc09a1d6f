package main

import (
	"context"
	"errors"
	"fmt"
)

// memoryContests weigh idle instances with ids of 16 bytes and structs of 64.
func memoryContests() []contest {
	const unit = "bytes"
	mine := func(read reading) func(*stage) measure {
		return func(s *stage) measure { return s.weigh(ours(roomForAll), 100_000, read) }
	}
	all := []contest{
		{
			name: "memory/idle-instance/heap", against: againstLimit, unit: unit, scale: lessIsBetter, pace: fewer, target: 1,
			open: func(_ context.Context, s *stage) (measure, measure, error) {
				return mine(liveHeap)(s), limit(400), nil
			},
		},
		{
			name: "memory/idle-instance/rss", against: againstLimit, unit: unit, scale: lessIsBetter, pace: fewer, target: 1,
			open: func(_ context.Context, s *stage) (measure, measure, error) {
				return mine(resident)(s), limit(600), nil
			},
		},
	}
	for _, version := range pythons {
		all = append(all, contest{
			name: "memory/idle-instance/rss", against: "pinned " + version, unit: unit, scale: lessIsBetter, pace: fewer,
			open: func(_ context.Context, s *stage) (measure, measure, error) {
				return mine(resident)(s), s.weigh(python(version), 10_000, resident), nil
			},
		})
	}
	return all
}

// reading is a size of a server that has collected its garbage.
type reading func(ctx context.Context, s *server) (float64, error)

func liveHeap(ctx context.Context, s *server) (float64, error) {
	heap, err := s.settle(ctx)
	if err == nil && heap == 0 {
		err = errors.New("the server doesn't know its heap")
	}
	return heap, err
}

func resident(ctx context.Context, s *server) (float64, error) {
	if _, err := s.settle(ctx); err != nil {
		return 0, err
	}
	return s.rss()
}

// weigh measures what an instance adds, on a server of its own each round, over
// one that has served already.
func (s *stage) weigh(k kind, count int, read reading) measure {
	return func(ctx context.Context) (float64, error) {
		server, err := s.start(ctx, k)
		if err != nil {
			return 0, err
		}
		defer server.stop()
		if _, err := sameIDs(server, 64, 1).run(ctx, quickPace.window); err != nil {
			return 0, err
		}
		before, err := read(ctx, server)
		if err != nil {
			return 0, err
		}
		if err := k.populate(ctx, server, 1, count); err != nil {
			return 0, err
		}
		after, err := read(ctx, server)
		if err == nil && after <= before {
			err = fmt.Errorf("%d instances took no memory: %.0f bytes before, %.0f after", count, before, after)
		}
		return (after - before) / float64(count), err
	}
}
