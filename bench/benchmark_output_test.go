package main

import "testing"

const benchmarkOutput = `goos: linux
goarch: amd64
BenchmarkTurn/wide-2      	 5000000	       999 ns/op	     100 B/op	       9 allocs/op
BenchmarkTurn-2           	 5000000	       187.5 ns/op	      48 B/op	       1 allocs/op
BenchmarkBare             	 5000000	       6 ns/op
PASS
`

func TestFiguresOfGoBenchmarks(t *testing.T) {
	for _, tc := range []struct {
		name, figure string
		want         float64
	}{
		{"BenchmarkTurn", "ns/op", 187.5},
		{"BenchmarkTurn", "allocs/op", 1},
		{"BenchmarkTurn/wide", "allocs/op", 9},
		{"BenchmarkBare", "ns/op", 6},
	} {
		got, err := benchmarkFigure(benchmarkOutput, tc.name, tc.figure)
		if err != nil || got != tc.want {
			t.Errorf("%s of %s: got %v and %v, want %v", tc.figure, tc.name, got, err, tc.want)
		}
	}
	for name, figure := range map[string]string{"BenchmarkTur": "ns/op", "BenchmarkBare": "allocs/op"} {
		if got, err := benchmarkFigure(benchmarkOutput, name, figure); err == nil {
			t.Errorf("%s of %s: got %v and no error", figure, name, got)
		}
	}
}
