package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// micro measures something of this process that takes nanoseconds. f does it n
// times.
type micro struct{ f func(n int) }

// nanoseconds is a measure of the time that one takes.
func (m micro) nanoseconds(window time.Duration) measure {
	return func(ctx context.Context) (float64, error) {
		n := 1
		for {
			began := time.Now()
			m.f(n)
			took := time.Since(began)
			if took >= window/2 {
				return float64(took.Nanoseconds()) / float64(n), ctx.Err()
			}
			// Aim at the window, without trusting a short run for more than a hundredfold.
			aim := float64(n) * float64(window) / float64(max(took, 1))
			n = min(int(aim)+1, 100*n)
		}
	}
}

// allocations is a measure of how many one makes.
func (m micro) allocations() measure {
	const n = 100_000
	return func(ctx context.Context) (float64, error) {
		m.f(n) // what is made once is made now
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m.f(n)
		runtime.ReadMemStats(&after)
		made := after.Mallocs - before.Mallocs
		// A few of the runtime's own are no share of n.
		return float64(made / n), ctx.Err()
	}
}

// goBenchmark runs a benchmark of a package of this module, each round anew, and
// reads one of its figures: "ns/op" or "allocs/op".
func (s *stage) goBenchmark(ctx context.Context, pkg, name, figure string) (measure, error) {
	binary, err := s.buildTests(ctx, pkg)
	if err != nil {
		return nil, err
	}
	// Each level of a benchmark in a benchmark is matched alone.
	pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	return func(ctx context.Context) (float64, error) {
		out, err := s.output(ctx, s.root, binary,
			"-test.run=^$", "-test.bench="+pattern, "-test.benchmem", "-test.benchtime="+s.pace.window.String())
		if err != nil {
			return 0, err
		}
		value, err := benchmarkFigure(out, name, figure)
		if err != nil {
			return 0, fmt.Errorf("%s of %s: %w", name, pkg, err)
		}
		return value, nil
	}, nil
}
