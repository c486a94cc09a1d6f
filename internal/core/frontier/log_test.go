package frontier

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSegmentsAreNeverSplitAndOrderIsKept drives a log and a model of it with the same
// events: a list of whole segments, of which a prefix is durable.
func TestSegmentsAreNeverSplitAndOrderIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type write struct {
			row      string
			position int64
		}
		var (
			log     Log[string, int64, int64]
			open    []write
			sealed  []write // not taken yet
			flight  []write
			stored  = map[string]int64{}
			want    = map[string]int64{} // what stored is after the flight
			waiting []int64
			last    int64 // sealed
			durable int64
			failed  bool
		)
		woken := func(got []int64) {
			var should, stay []int64
			for _, p := range waiting {
				if p <= durable || failed {
					should = append(should, p)
				} else {
					stay = append(stay, p)
				}
			}
			slices.Sort(got)
			slices.Sort(should)
			if !slices.Equal(got, should) {
				t.Fatalf("woken %v, want %v", got, should)
			}
			waiting = stay
		}
		t.Repeat(map[string]func(*rapid.T){
			"enlist": func(t *rapid.T) {
				row := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}).Draw(t, "row")
				p := log.Position() + 1
				if got := log.Enlist(row, p); got != p {
					t.Fatalf("position %d, want %d", got, p)
				}
				open = append(open, write{row, p})
			},
			"seal": func(*rapid.T) {
				if log.Seal() != (last < log.Position()) {
					t.Fatal("Seal")
				}
				sealed, open, last = append(sealed, open...), nil, log.Position()
			},
			"discard": func(*rapid.T) {
				log.Discard()
				open, last = nil, log.Position()
			},
			"await": func(t *rapid.T) {
				p := rapid.Int64Range(0, last).Draw(t, "position")
				if log.Await(p, p) {
					if p <= durable || failed {
						t.Fatalf("waits for %d, and %d is durable", p, durable)
					}
					waiting = append(waiting, p)
				}
			},
			"take": func(t *rapid.T) {
				ready := log.Ready()
				if ready != (!failed && flight == nil && len(sealed) > 0) {
					t.Fatalf("ready %v with %v sealed, %v in flight", ready, sealed, flight)
				}
				batch := log.Take(true)
				if !ready {
					return
				}
				position := int64(0)
				for _, w := range batch {
					if w.Position <= position || w.Data != w.Position {
						t.Fatal("out of order")
					}
					position = w.Position
					if _, twice := want[w.Row]; twice {
						t.Fatal("a row twice")
					}
					want[w.Row] = w.Position
				}
				all := map[string]int64{}
				for _, w := range sealed {
					all[w.row] = w.position
				}
				if len(all) != len(want) {
					t.Fatalf("took %v, want %v", want, all)
				}
				for row, p := range all {
					if want[row] != p {
						t.Fatalf("took %v, want %v", want, all)
					}
				}
				flight, sealed = sealed, nil
			},
			"settle": func(t *rapid.T) {
				if flight == nil {
					t.Skip()
				}
				if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
					failed = true
					woken(log.Settle(errors.New("x")))
				} else {
					got := log.Settle(nil)
					if log.Durable() < flight[len(flight)-1].position {
						t.Fatal("not durable")
					}
					durable = log.Durable()
					maps.Copy(stored, want)
					woken(got)
				}
				flight, want = nil, map[string]int64{}
				if len(sealed) > 0 && durable >= sealed[0].position {
					t.Fatal("durable, and never taken")
				}
			},
		})
	})
}

func TestLanesShareStatementsAndNoInstanceStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			l       Lanes[int]
			queued  = map[int]int{} // since which step
			flying  []Statement[int]
			inBatch = map[int]bool{}
			step    int
		)
		together := func(a, b int) bool { return a%2 == b%2 }
		t.Repeat(map[string]func(*rapid.T){
			"ready": func(t *rapid.T) {
				i := rapid.IntRange(0, 200).Draw(t, "instance")
				if _, ok := queued[i]; ok || inBatch[i] {
					t.Skip()
				}
				if rapid.IntRange(0, 20).Draw(t, "alone") == 0 {
					l.Alone(i)
				} else {
					l.Ready(i)
				}
				queued[i] = step
			},
			"next": func(*rapid.T) {
				s, ok := l.Next(together)
				if !ok {
					return
				}
				if len(s.Instances) == 0 || len(s.Instances) > MostInstances || s.Alone && len(s.Instances) != 1 {
					t.Fatal(s)
				}
				for _, i := range s.Instances {
					if _, ok := queued[i]; !ok || inBatch[i] || !together(i, s.Instances[0]) {
						t.Fatalf("%d isn't to be sent with %v", i, s.Instances)
					}
					delete(queued, i)
					inBatch[i] = true
				}
				for i, since := range queued {
					if !s.Alone && since < step-1000 && together(i, s.Instances[0]) && len(s.Instances) < MostInstances {
						t.Fatalf("%d starves", i)
					}
				}
				flying = append(flying, s)
			},
			"settle": func(*rapid.T) {
				if len(flying) == 0 {
					return
				}
				l.Settled(flying[0], 0)
				for _, i := range flying[0].Instances {
					delete(inBatch, i)
				}
				flying = flying[1:]
			},
			"": func(t *rapid.T) {
				step++
				together := 0
				for _, s := range flying {
					if !s.Alone {
						together++
					}
				}
				if together > usualLanes {
					t.Fatalf("%d statements in flight", together)
				}
				if l.Idle() != (len(queued) == 0) {
					t.Fatal("idle")
				}
			},
		})
	})
}

func TestSlowStatementsGetMoreLanes(t *testing.T) {
	var l Lanes[int]
	alone := func(int, int) bool { return false }
	for i := range 20 {
		l.Ready(i)
	}
	count := func() (n int) {
		for {
			if _, ok := l.Next(alone); !ok {
				return n
			}
			n++
		}
	}
	if n := count(); n != usualLanes {
		t.Errorf("%d lanes", n)
	}
	l.Settled(Statement[int]{}, 3*slow)
	if n := count(); n != 1+3 {
		t.Errorf("%d more while they are slow", n)
	}
}

func TestWritesThatGoOneByOneKeepTheirOrder(t *testing.T) {
	var log Log[string, int, int]
	for i, row := range []string{"a", "a", "b", "a", "b", "b", "c"} {
		log.Enlist(row, i)
	}
	log.EnlistAlone(7)
	log.EnlistAlone(8)
	log.Seal()
	var got []int
	for _, w := range log.Take(false) {
		got = append(got, w.Data)
	}
	if want := []int{1, 2, 3, 5, 6, 7, 8}; !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
}
