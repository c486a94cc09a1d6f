package main

import (
	"fmt"
	"math"
	"slices"
)

// round is what both sides did in one round, in the unit of their contest.
type round struct{ ours, theirs float64 }

// summary is what a contest's rounds come to. Ratios pair the two sides of one
// round, so a machine that slows down for a while slows both: medians and
// extremes are of these ratios, not of the sides alone.
type summary struct {
	ours, theirs    float64 // medians
	ratio, min, max float64 // of ours to theirs; higher is better for ours
}

// summarize pairs and sums up rounds. It fails on no rounds, and on a side that
// measured nothing that can stand in a ratio.
func summarize(rounds []round, s scale) (summary, error) {
	if len(rounds) == 0 {
		return summary{}, fmt.Errorf("summarize: no rounds")
	}
	var ours, theirs, ratios []float64
	for i, r := range rounds {
		ratio := s.ratio(r.ours, r.theirs)
		if math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio < 0 {
			return summary{}, fmt.Errorf("summarize: round %d measured %v against %v, which is no ratio", i+1, r.ours, r.theirs)
		}
		ours = append(ours, r.ours)
		theirs = append(theirs, r.theirs)
		ratios = append(ratios, ratio)
	}
	return summary{
		ours:   median(ours),
		theirs: median(theirs),
		ratio:  median(ratios),
		min:    slices.Min(ratios),
		max:    slices.Max(ratios),
	}, nil
}

// median is the middle of values, or the mean of the two in the middle. There
// is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// scale says what makes a measure of a unit good.
type scale int

const (
	// moreIsBetter: rates.
	moreIsBetter scale = iota
	// lessIsBetter: times and sizes, never zero.
	lessIsBetter
	// fewerIsBetter: small counts, of which zero is the best. Both sides are
	// counted from one, so that none against none is 1 and one against none 0.5.
	fewerIsBetter
)

// ratio is how many times as good as theirs ours is.
func (s scale) ratio(ours, theirs float64) float64 {
	switch s {
	case lessIsBetter:
		return theirs / ours
	case fewerIsBetter:
		return (theirs + 1) / (ours + 1)
	default:
		return ours / theirs
	}
}
