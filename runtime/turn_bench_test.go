package runtime

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/pinned-go/pinned"
)

// benchObject has 64 bytes, its Object included, and no hooks.
type benchObject struct {
	pinned.Object

	_ [48]byte
}

// newBench has a started worker with residents of benchObject, and their ids.
func newBench(tb testing.TB, residents int) (k *kind, ids []string) {
	tb.Helper()
	w := newTestWorker(tb, WithMaxInstances(residents+1))
	Register(w, Class[benchObject]{
		Name: "Bench", Namespace: "/bench",
		Base:  func(b *benchObject) *pinned.Object { return &b.Object },
		Match: func(string, string, *Args) int { return -1 },
	})
	if err := w.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	k = w.kind("/bench")
	ids = make([]string, residents)
	for i := range ids {
		ids[i] = fmt.Sprintf("resident%08d", i) // 16 bytes
		in, err := k.activate(tb.Context(), ids[i])
		if err != nil {
			tb.Fatal(err)
		}
		in.done()
	}
	return k, ids
}

// BenchmarkTurnAmong100000 is all that a turn adds to a request whose instance is
// resident: the lookup, the count of what is in flight, the context, the turn.
// Target: 300 ns and one allocation.
func BenchmarkTurnAmong100000(b *testing.B) {
	k, ids := newBench(b, 100_000)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		t := &turn{}
		in, err := k.enter(ctx, ids[i], t, false)
		if err != nil {
			b.Fatal(err)
		}
		t.end()
		in.done()
		if i += 7919; i >= len(ids) {
			i -= len(ids)
		}
	}
}

// BenchmarkTurnContended has 64 goroutines wait for one turn, first come first
// served. Target: 600 ns a turn.
func BenchmarkTurnContended(b *testing.B) {
	k, ids := newBench(b, 1)
	in, err := k.activate(b.Context(), ids[0])
	if err != nil {
		b.Fatal(err)
	}
	defer in.done()
	const goroutines = 64
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			t := newTurn(context.Background(), in)
			for range b.N / goroutines * (g - g + 1) {
				t.retakeAsNew()
			}
			t.end()
		})
	}
	wg.Wait()
}

// retakeAsNew waits in the line as a request does, and passes on.
func (t *turn) retakeAsNew() {
	if err := t.acquire(); err != nil {
		panic(err)
	}
	t.release()
}

// BenchmarkYield is one Await of a handler that nobody competes with.
func BenchmarkYield(b *testing.B) {
	k, ids := newBench(b, 1)
	t := &turn{}
	in, err := k.enter(b.Context(), ids[0], t, false)
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
