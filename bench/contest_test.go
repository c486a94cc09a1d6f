package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestEveryTargetIsMeasured holds the list beside the goals.
func TestEveryTargetIsMeasured(t *testing.T) {
	want := map[string]float64{
		"requests/1-id/64-conns against net/http":                  0.95,
		"requests/1-id/64-conns against pinned 0.16.0":             13,
		"residents/100000/1-id/64-conns against 1 resident":        0.90,
		"activations/64-conns against pinned 0.16.0":               30,
		"activations/10000-at-once against limit":                  1,
		"memory/idle-instance/heap against limit":                  1,
		"memory/idle-instance/rss against limit":                   1,
		"routing/time against ServeMux":                            5,
		"routing/allocations against limit":                        1,
		"turn/uncontended/time against limit":                      1,
		"turn/uncontended/allocations against limit":               1,
		"turn/64-goroutines/time against limit":                    1,
		"durable/sqlite/1-id/64-clients against transactions":      10,
		"durable/sqlite/1000-ids/256-clients against transactions": 10,
		"durable/postgres/1-id/64-conns against transactions":      10,
		"durable/postgres/1-id/64-conns against fenced statements": 5,
		"durable/postgres/1-id/64-conns/p99 against limit":         1,
		"durable/postgres/1000-ids/256-clients against pgbench":    2,
		"durable/postgres/1000-ids/64-conns against pgbench":       1,
		"trays/postgres/1-id/64-conns against pinned 0.16.0":       6,
		"trays/postgres/64-ids/64-conns against pinned 0.16.0":     8,
		"gate/reader-beside-writer/p50 against idle instance":      0.9,
		"alarms/10000-of-1000-ids/p99 against limit":               1,
		"pinnedgen/10-packages against stringer, 1 package":        0.5,
		"pinnedgen/300-packages against stringer, 1 package":       0.25,
	}
	for _, quick := range []bool{false, true} {
		got := map[string]float64{}
		for _, c := range contests(quick) {
			if c.target > 0 {
				got[c.title()] = c.target
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("quick %v (-want +got)\n%s", quick, diff)
		}
	}
}

func TestNoCaseIsTwiceAgainstTheSame(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range contests(false) {
		if seen[c.title()] {
			t.Errorf("%s is there twice", c.title())
		}
		seen[c.title()] = true
	}
}

func TestPatternChoosesByCaseAndOpponent(t *testing.T) {
	all := []contest{{name: "a/1", against: "x"}, {name: "a/2", against: "y"}, {name: "b", against: "x"}}
	for pattern, want := range map[string][]string{
		"":              {"a/1 against x", "a/2 against y", "b against x"},
		"^a/":           {"a/1 against x", "a/2 against y"},
		"against x":     {"a/1 against x", "b against x"},
		"a/. against y": {"a/2 against y"},
	} {
		chosen, err := choose(all, pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range chosen {
			got = append(got, c.title())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", pattern, got, want)
		}
	}
	for _, wrong := range []string{"c", "("} {
		if _, err := choose(all, wrong); err == nil {
			t.Errorf("%q: no error", wrong)
		}
	}
}

func TestRoundsAreInterleavedAndTheStageClosed(t *testing.T) {
	var did []string
	c := contest{
		name: "case", against: "them",
		open: func(_ context.Context, s *stage) (measure, measure, error) {
			s.atEnd(func() { did = append(did, "close ours") })
			s.atEnd(func() { did = append(did, "close theirs") })
			side := func(name string, value float64) measure {
				return func(context.Context) (float64, error) {
					did = append(did, name)
					return value, nil
				}
			}
			return side("ours", 30), side("theirs", 10), nil
		},
	}
	got, err := c.run(t.Context(), &lab{pace: pace{rounds: 3, window: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Ratio != 3 || got.Ours != 30 || got.Theirs != 10 {
		t.Errorf("got %+v", got)
	}
	want := []string{"ours", "theirs", "ours", "theirs", "ours", "theirs", "close theirs", "close ours"}
	if diff := cmp.Diff(want, did); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTroubleInOneCaseLeavesTheOthers(t *testing.T) {
	fine := contest{name: "fine", target: 2, open: func(context.Context, *stage) (measure, measure, error) {
		return limit(1), limit(1), nil
	}}
	broken := contest{name: "broken", open: func(context.Context, *stage) (measure, measure, error) {
		return nil, nil, errors.New("no such thing")
	}}
	var out strings.Builder
	l := &lab{pace: quickPace, log: io.Discard}
	err := measureAll(t.Context(), l, []contest{broken, fine}, jsonReporter{&out})
	if err == nil || !strings.Contains(err.Error(), "1 of 2 cases") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out.String(), `"case":"fine"`) {
		t.Errorf("the report is %q", out.String())
	}

	// A target that is missed is no trouble.
	if err := measureAll(t.Context(), l, []contest{fine}, jsonReporter{&out}); err != nil {
		t.Error(err)
	}
}

func TestListMeasuresNothing(t *testing.T) {
	var out, log strings.Builder
	if err := run(t.Context(), []string{"-list", "against stringer"}, &out, &log); err != nil {
		t.Fatal(err)
	}
	want := "pinnedgen/10-packages against stringer, 1 package\npinnedgen/300-packages against stringer, 1 package\n"
	if out.String() != want || log.String() != "" {
		t.Errorf("got %q and %q on stderr", out.String(), log.String())
	}
}
