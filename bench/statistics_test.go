package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRatiosPairTheSidesOfARound(t *testing.T) {
	for name, tc := range map[string]struct {
		scale  scale
		rounds []round
		want   summary
	}{
		"one round": {
			moreIsBetter, []round{{100, 50}},
			summary{ours: 100, theirs: 50, ratio: 2, min: 2, max: 2},
		},
		"a slow round slows both": {
			moreIsBetter, []round{{100, 50}, {10, 5}, {80, 40}},
			summary{ours: 80, theirs: 40, ratio: 2, min: 2, max: 2},
		},
		"the ratio's median is not that of the medians": {
			moreIsBetter, []round{{10, 10}, {20, 5}, {30, 60}},
			summary{ours: 20, theirs: 10, ratio: 1, min: 0.5, max: 4},
		},
		"an even number of rounds": {
			moreIsBetter, []round{{1, 1}, {2, 1}, {4, 1}, {8, 1}},
			summary{ours: 3, theirs: 1, ratio: 3, min: 1, max: 8},
		},
		"half the time is twice as good": {
			lessIsBetter, []round{{100, 200}},
			summary{ours: 100, theirs: 200, ratio: 2, min: 2, max: 2},
		},
		"none where none is allowed": {
			fewerIsBetter, []round{{0, 0}},
			summary{ours: 0, theirs: 0, ratio: 1, min: 1, max: 1},
		},
		"one where none is allowed": {
			fewerIsBetter, []round{{1, 0}},
			summary{ours: 1, theirs: 0, ratio: 0.5, min: 0.5, max: 0.5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := summarize(tc.rounds, tc.scale)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(summary{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRoundsThatMakeNoRatioAreRefused(t *testing.T) {
	for name, rounds := range map[string][]round{
		"none":              nil,
		"theirs did none":   {{1, 1}, {1, 0}},
		"neither did any":   {{0, 0}},
		"a negative growth": {{100, -4}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := summarize(rounds, moreIsBetter); err == nil {
				t.Errorf("got %+v and no error", got)
			}
		})
	}
}
