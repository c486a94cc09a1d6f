package main

import (
	"context"
	"fmt"
)

// The ids that bare handlers and packages are compared on, and the connections.
var (
	idCounts   = []int{1, 1_000}
	connCounts = []int{1, 64}
)

// roomForAll is more instances than any contest makes.
const roomForAll = "-max=200000"

// requestContests compare an object's route, a GET answered with a small JSON
// while the turn is held, with the same answer from others.
func requestContests() []contest {
	var all []contest
	for _, ids := range idCounts {
		for _, conns := range connCounts {
			name := fmt.Sprintf("requests/%s/%s", plural(ids, "id"), plural(conns, "conn"))
			all = append(all, requestContest(name, ids, conns, bare, headline(ids, conns, 0.95)))
			for _, version := range pythons {
				target := 0.0
				if version == "0.16.0" {
					target = headline(ids, conns, 13)
				}
				all = append(all, requestContest(name, ids, conns, python(version), target))
			}
		}
	}
	return all
}

// headline is the target of the row that the goals name: 64 connections, one id.
func headline(ids, conns int, target float64) float64 {
	if ids == 1 && conns == 64 {
		return target
	}
	return 0
}

func requestContest(name string, ids, conns int, theirs kind, target float64) contest {
	return contest{
		name: name, against: theirs.name, unit: "requests/s", target: target,
		open: func(ctx context.Context, s *stage) (measure, measure, error) {
			return s.compare(ctx, side{ours(roomForAll), ids, ids, conns}, side{theirs, ids, ids, conns})
		},
	}
}

// residentContests ask one id while others idle beside it. What is asked never
// changes, so what a request costs shouldn't either.
func residentContests(quick bool) []contest {
	const conns = 64
	var all []contest
	for _, residents := range []int{1_000, 10_000, 100_000} {
		name := fmt.Sprintf("residents/%d/1-id/%d-conns", residents, conns)
		mine := side{ours(roomForAll), residents, 1, conns}

		alone := contest{
			name: name, against: "1 resident", unit: "requests/s",
			open: func(ctx context.Context, s *stage) (measure, measure, error) {
				return s.compare(ctx, mine, side{ours(roomForAll), 1, 1, conns})
			},
		}
		if residents == 100_000 {
			alone.target = 0.90
		}
		all = append(all, alone, contest{
			name: name, against: bare.name, unit: "requests/s",
			open: func(ctx context.Context, s *stage) (measure, measure, error) {
				return s.compare(ctx, mine, side{bare, 1, 1, conns})
			},
		})
		// 100,000 residents of theirs are a GB of memory and half a second a request;
		// a quick run has no time for 10,000 either.
		if residents > 10_000 || quick && residents > 1_000 {
			continue
		}
		for _, version := range pythons {
			all = append(all, contest{
				name: name, against: "pinned " + version, unit: "requests/s",
				open: func(ctx context.Context, s *stage) (measure, measure, error) {
					return s.compare(ctx, mine, side{python(version), residents, 1, conns})
				},
			})
		}
	}
	return all
}

// side is a server with residents, of which the first so many are asked over so
// many connections.
type side struct {
	kind

	residents, ids, conns int
}

// compare starts both sides and makes their residents.
func (s *stage) compare(ctx context.Context, ours, theirs side) (mine, other measure, err error) {
	if mine, err = s.side(ctx, ours); err != nil {
		return nil, nil, err
	}
	other, err = s.side(ctx, theirs)
	return mine, other, err
}

func (s *stage) side(ctx context.Context, of side) (measure, error) {
	server, err := s.start(ctx, of.kind)
	if err != nil {
		return nil, err
	}
	if err := of.populate(ctx, server, 0, of.residents); err != nil {
		return nil, err
	}
	work := sameIDs(server, of.conns, of.ids)
	return func(ctx context.Context) (float64, error) {
		total, err := work.run(ctx, s.pace.window)
		return total.rate(), err
	}, nil
}

// plural writes "1-id" and "1000-ids".
func plural(n int, noun string) string {
	if n == 1 {
		return "1-" + noun
	}
	return fmt.Sprintf("%d-%ss", n, noun)
}
