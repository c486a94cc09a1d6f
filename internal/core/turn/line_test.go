package turn

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLineKeepsItsOrder drives a line and a model of it, a slice, with the same
// events.
func TestLineKeepsItsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			line    Line[int]
			waiting []*Waiter[int] // the model's line
			holder  = -1
			next    int
			grants  uint32
		)
		grant := func(who int) {
			holder = who
			grants++
		}
		t.Repeat(map[string]func(*rapid.T){
			"arrive": func(t *rapid.T) {
				w := &Waiter[int]{Value: next, Returning: rapid.Bool().Draw(t, "returning")}
				next++
				took := line.Take()
				if took != (holder < 0) {
					t.Fatalf("Take is %v with holder %d", took, holder)
				}
				if took {
					grant(w.Value)
					return
				}
				line.Join(w)
				waiting = append(waiting, w)
			},
			"pass": func(t *rapid.T) {
				if holder < 0 {
					t.Skip()
				}
				w := line.Pass()
				if len(waiting) == 0 {
					if w != nil {
						t.Fatalf("an empty line gave the turn to %d", w.Value)
					}
					holder = -1
					return
				}
				if w != waiting[0] {
					t.Fatalf("the turn went to %+v, not to %d, who came first", w, waiting[0].Value)
				}
				waiting = waiting[1:]
				grant(w.Value)
				if line.Leave(w) {
					t.Fatal("who was handed the turn could still leave the line")
				}
			},
			"leave": func(t *rapid.T) {
				if len(waiting) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(waiting)-1).Draw(t, "who")
				w := waiting[i]
				if !line.Leave(w) || line.Leave(w) {
					t.Fatalf("%d could not leave once", w.Value)
				}
				waiting = slices.Delete(waiting, i, i+1)
			},
			"disband": func(t *rapid.T) {
				var home, stay []*Waiter[int]
				for _, w := range waiting {
					if w.Returning {
						stay = append(stay, w)
					} else {
						home = append(home, w)
					}
				}
				if sent := line.Disband(); !slices.Equal(sent, home) {
					t.Fatalf("sent home %v, not %v", sent, home)
				}
				waiting = stay
			},
			"": func(t *rapid.T) {
				if line.Held() != (holder >= 0) || line.Waiting() != (len(waiting) > 0) || line.Grants() != grants {
					t.Fatalf("held %v, waiting %v, grants %d; the model has holder %d, %d waiting, %d grants",
						line.Held(), line.Waiting(), line.Grants(), holder, len(waiting), grants)
				}
				if holder < 0 && len(waiting) > 0 {
					t.Fatal("the turn is free, and somebody waits for it")
				}
			},
		})
	})
}

func TestWaiterMayWaitAgain(t *testing.T) {
	var line Line[string]
	w := &Waiter[string]{Value: "again"}
	line.Take()
	for range 3 {
		line.Join(w)
		if got := line.Pass(); got != w {
			t.Fatalf("the turn went to %v", got)
		}
	}
	if line.Pass() != nil || line.Held() {
		t.Error("the turn isn't free at the end")
	}
}
