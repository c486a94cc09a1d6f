package main

import "context"

// turnContests run benchmarks of the runtime itself, whose turns and directory
// have no other door.
func turnContests() []contest {
	var all []contest
	for _, c := range turnBenchmarks {
		all = append(all, contest{
			name: c.name, against: againstLimit, unit: c.unit, scale: c.scale, target: 1,
			open: func(ctx context.Context, s *stage) (measure, measure, error) {
				mine, err := s.goBenchmark(ctx, "runtime", c.benchmark, c.figure)
				return mine, limit(c.limit), err
			},
		})
	}
	return all
}

var turnBenchmarks = []struct {
	name, benchmark, figure, unit string
	scale                         scale
	limit                         float64
}{
	// Lookup among 100,000 residents, the turn's context, the turn, its end.
	{"turn/uncontended/time", "BenchmarkTurnAmong/100000", "ns/op", "ns", lessIsBetter, 300},
	{"turn/uncontended/allocations", "BenchmarkTurnAmong/100000", "allocs/op", "allocs", fewerIsBetter, 1},
	// 64 goroutines, first come first served.
	{"turn/64-goroutines/time", "BenchmarkTurnContended", "ns/op", "ns", lessIsBetter, 600},
}
