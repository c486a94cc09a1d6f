package directory

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestResidenceNeverExceedsItsMax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Residence{Max: rapid.IntRange(1, 4).Draw(t, "max")}
		var resident, drained int
		var begun, draining bool
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(t *rapid.T) {
				if r.Begin() == draining {
					t.Fatalf("Begin while draining: %v", draining)
				}
				begun = true
			},
			"admit": func(t *rapid.T) {
				want := Admitted
				switch {
				case draining:
					want = Draining
				case !begun:
					want = NotBegun
				case resident == r.Max:
					want = Full
				}
				if would := r.Would(); would != want {
					t.Fatalf("Would is %v, not %v", would, want)
				}
				if got := r.Admit(); got != want {
					t.Fatalf("Admit is %v, not %v", got, want)
				}
				if want == Admitted {
					resident++
				}
			},
			"depart": func(t *rapid.T) {
				if resident == 0 {
					t.Skip()
				}
				resident--
				if r.Depart() {
					drained++
				}
			},
			"drain": func(t *rapid.T) {
				first, done := r.Drain()
				if first == draining || done != (resident == 0) {
					t.Fatalf("Drain is %v, %v with %d resident", first, done, resident)
				}
				if first && done {
					drained++
				}
				draining = true
			},
			"": func(t *rapid.T) {
				if r.Resident() != resident || resident > r.Max {
					t.Fatalf("%d resident, not %d of %d", r.Resident(), resident, r.Max)
				}
				if want := draining && resident == 0; (drained == 1) != want || drained > 1 {
					t.Fatalf("told %d times that it drained, with %d resident", drained, resident)
				}
			},
		})
	})
}

func TestSlotsAreFilledInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Slots[int]{Max: rapid.IntRange(1, 3).Draw(t, "max")}
		var queue []int
		var running, next int
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) {
				next++
				if s.Ask(next) != (running < s.Max) {
					t.Fatalf("Ask with %d of %d running", running, s.Max)
				}
				if running < s.Max {
					running++
				} else {
					queue = append(queue, next)
				}
			},
			"free": func(t *rapid.T) {
				if running == 0 {
					t.Skip()
				}
				got, ok := s.Free()
				if ok != (len(queue) > 0) {
					t.Fatalf("Free gave %d, %v with %v queued", got, ok, queue)
				}
				if !ok {
					running--
					return
				}
				if got != queue[0] {
					t.Fatalf("Free gave %d before %d", got, queue[0])
				}
				queue = slices.Delete(queue, 0, 1)
			},
			"": func(t *rapid.T) {
				if s.Running() != running || s.Queued() != len(queue) {
					t.Fatalf("%d running and %d queued, not %d and %d", s.Running(), s.Queued(), running, len(queue))
				}
				if running < s.Max && len(queue) > 0 {
					t.Fatal("a slot is free, and somebody waits for one")
				}
			},
		})
	})
}
