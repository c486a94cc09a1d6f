package runtime

import (
	goruntime "runtime"
	"testing"

	"github.com/pinned-go/pinned"
)

// liveHeap is what is reachable, after a collection.
func liveHeap() uint64 {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// benchObject has 64 bytes, its Object included, and no hooks.
type benchObject struct {
	pinned.Object

	_ [48]byte
}

// newBench has a started worker with residents of benchObject.
func newBench(tb testing.TB, ids []string) *kind {
	tb.Helper()
	w := newTestWorker(tb, WithMaxInstances(len(ids)+1))
	Register(w, Class[benchObject]{
		Name: "Bench", Namespace: "/bench",
		Base:  func(b *benchObject) *pinned.Object { return &b.Object },
		Match: func(string, string, *Args) int { return -1 },
	})
	if err := w.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	k := w.kind("/bench")
	for _, id := range ids {
		use(tb, k, id)
	}
	return k
}

// use is one request.
func use(tb testing.TB, k *kind, id string) {
	t := &turn{}
	in, err := k.enter(tb.Context(), id, t, false)
	if err != nil {
		tb.Fatal(err)
	}
	t.end()
	in.done()
}

func TestAnIdleInstanceTakesAtMost400Bytes(t *testing.T) {
	ids := manyIDs(100_000)
	before := liveHeap()
	k := newBench(t, ids)
	after := liveHeap()
	each := float64(after-before) / float64(len(ids))
	t.Logf("%.0f bytes", each)
	if each > 400 {
		t.Errorf("%.0f bytes of live heap for an idle instance", each)
	}
	goruntime.KeepAlive(k)
	goruntime.KeepAlive(ids)
}

func TestATurnAllocatesAtMostOnce(t *testing.T) {
	ids := manyIDs(1000)
	k := newBench(t, ids)
	i := 0
	allocs := testing.AllocsPerRun(1000, func() {
		use(t, k, ids[i])
		i = (i + 7) % len(ids)
	})
	if allocs > 1 {
		t.Errorf("%v allocations for a turn", allocs)
	}
}
