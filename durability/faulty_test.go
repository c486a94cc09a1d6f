package durability_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/storetest"
)

// history is what an instance has enlisted, in order.
type history struct {
	writes []durability.Write
	ends   []int // of segments: how many writes there are by then
}

// after is the rows once n writes are carried out.
func (h *history) after(n int, begin map[durability.Tray]string) map[durability.Tray]string {
	rows := maps.Clone(begin)
	for _, w := range h.writes[:n] {
		if w.Doc == nil {
			delete(rows, w.Tray)
		} else {
			rows[w.Tray] = string(w.Doc.AppendDoc(nil))
		}
	}
	return rows
}

// TestFlushesOverAStoreWithFaults has instances write over a store of which every few
// operations fail. What was durable is there whatever fails, whole segments are, and a log
// that has failed never says that something is durable again.
func TestFlushesOverAStoreWithFaults(t *testing.T) {
	faults := []storetest.Fault{storetest.Refused, storetest.CommittedUnknown, storetest.LostUnknown, storetest.Locked}
	for _, single := range []bool{false, true} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("single %v/seed %d", single, seed), func(t *testing.T) {
				memory := durability.NewMemory()
				var mu sync.Mutex
				rng := rand.New(rand.NewPCG(seed, 0))
				failed := 0
				var store durability.StateStore = &storetest.Faulty{Store: memory, Choose: func(op string, _ durability.Key) storetest.Fault {
					mu.Lock()
					defer mu.Unlock()
					if rng.IntN(12) > 0 {
						return storetest.None
					}
					failed++
					return faults[rng.IntN(len(faults))]
				}}
				if single {
					store = storetest.Single{StateStore: store}
				}
				fl := flusher(t, store)
				var wg sync.WaitGroup
				for i := range 6 {
					wg.Go(func() {
						in := &writer{t: t, fl: fl, memory: memory, single: single, key: durability.Key{Namespace: "/rooms", ID: fmt.Sprint(i)}}
						in.run(rand.New(rand.NewPCG(seed, uint64(i)+1)))
					})
				}
				wg.Wait()
				if failed == 0 {
					t.Error("no operation failed")
				}
			})
		}
	}
}

type writer struct {
	t      *testing.T
	fl     *durability.Flusher
	memory *durability.Memory
	single bool
	key    durability.Key
}

// run is the life of several activations, each of which ends with a failed flush.
func (in *writer) run(rng *rand.Rand) {
	n := 0
	for range 6 {
		begin := in.stored()
		h := &history{}
		told := make(chan error, 2)
		f := in.fl.Frontier(in.key, 0, func(err error) { told <- err })
		var err error
		for range 200 {
			for range 1 + rng.IntN(3) {
				w := durability.Write{Tray: durability.Tray{Namespace: "work", ID: fmt.Sprint(rng.IntN(4))}}
				if rng.IntN(4) > 0 {
					n++
					w.Doc = text(fmt.Sprint(n))
				}
				h.writes = append(h.writes, w)
				if got := f.Enlist(w); got != int64(len(h.writes)) {
					in.t.Errorf("position %d, want %d", got, len(h.writes))
				}
			}
			h.ends = append(h.ends, len(h.writes))
			f.Seal()
			if rng.IntN(3) > 0 {
				continue
			}
			if err = f.Wait(context.Background(), f.Position()); err != nil {
				break
			}
			if got, want := in.stored(), h.after(len(h.writes), begin); !maps.Equal(got, want) {
				in.t.Errorf("%s: %v is durable, want %v", in.key, got, want)
			}
		}
		if err == nil {
			err = f.Barrier(context.Background())
		}
		if err == nil {
			continue // this one was lucky
		}
		first := <-told
		if !errors.Is(f.Err(), first) || len(told) > 0 {
			in.t.Errorf("the instance was told %v, the log says %v", first, f.Err())
		}
		in.check(f, h, begin)
		if err := f.Wait(context.Background(), f.Position()); err == nil {
			in.t.Error("a log that has failed says that all is durable")
		}
	}
}

// check holds what is stored against what was enlisted: the writes up to some segment's
// end, which isn't before what is durable, or up to some write of a store without batches.
func (in *writer) check(f *durability.Frontier, h *history, begin map[durability.Tray]string) {
	got := in.stored()
	ends := append([]int{0}, h.ends...)
	if in.single {
		ends = nil
		for n := range len(h.writes) + 1 {
			ends = append(ends, n)
		}
	}
	for _, n := range ends {
		if int64(n) >= f.Durable() && maps.Equal(got, h.after(n, begin)) {
			return
		}
	}
	in.t.Errorf("%s: %v is stored, which is no state that it went through since the durable one, %v", in.key, got, h.after(int(f.Durable()), begin))
}

// stored are the rows of the instance in the sound store.
func (in *writer) stored() map[durability.Tray]string {
	entries, err := in.memory.List(context.Background(), in.key, 0, durability.Filter{})
	if err != nil {
		in.t.Error(err)
	}
	rows := map[durability.Tray]string{}
	for _, e := range entries {
		rows[e.Tray] = string(e.Doc)
	}
	return rows
}
