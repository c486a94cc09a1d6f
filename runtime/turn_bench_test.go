package runtime

import (
	"context"
	"sync"
	"testing"

	"github.com/pinned-go/pinned"
)

// BenchmarkTurnContended has 64 goroutines wait for one turn, first come first
// served. Target: 600 ns a turn.
func BenchmarkTurnContended(b *testing.B) {
	k := newBench(b, manyIDs(1))
	in, err := k.activate(b.Context(), manyIDs(1)[0])
	if err != nil {
		b.Fatal(err)
	}
	defer in.done()
	const goroutines = 64
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			t := newTurn(context.Background(), in)
			defer t.end()
			for range (b.N + goroutines - 1) / goroutines {
				if err := t.acquire(); err != nil {
					panic(err)
				}
				t.release()
			}
		})
	}
	wg.Wait()
}

// BenchmarkYield is one Await of a handler that nobody competes with.
func BenchmarkYield(b *testing.B) {
	k := newBench(b, manyIDs(1))
	t := &turn{}
	in, err := k.enter(b.Context(), manyIDs(1)[0], t, false)
	if err != nil {
		b.Fatal(err)
	}
	defer in.done()
	defer t.end()
	b.ReportAllocs()
	for b.Loop() {
		_ = pinned.Await(t, func(context.Context) error { return nil })
	}
}
