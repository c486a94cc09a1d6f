package main

import (
	"fmt"
	"strconv"
	"strings"
)

// benchmarkFigure reads from the output of Go's benchmarks the figure of one,
// such as its "ns/op".
func benchmarkFigure(output, name, figure string) (float64, error) {
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !isBenchmark(fields[0], name) {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if fields[i+1] == figure {
				return strconv.ParseFloat(fields[i], 64)
			}
		}
		return 0, fmt.Errorf("no %s in %q", figure, strings.TrimSpace(line))
	}
	return 0, fmt.Errorf("no such benchmark in %q", strings.TrimSpace(output))
}

// isBenchmark compares a name with one that may end in a number of processors.
func isBenchmark(printed, name string) bool {
	rest, found := strings.CutPrefix(printed, name)
	if !found {
		return false
	}
	procs, dashed := strings.CutPrefix(rest, "-")
	_, err := strconv.Atoi(procs)
	return rest == "" || dashed && err == nil
}
