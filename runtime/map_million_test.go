package runtime_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/sqlite"
)

// TestAMapOfAMillionKeysIsFlat has one instance with a million keys: it costs what it
// touches, in memory and in time.
func TestAMapOfAMillionKeysIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes a million rows")
	}
	keys := 1_000_000
	if raced {
		keys = 20_000 // ./test runs all of them without the race detector
	}
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "books.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	instance := durability.Key{Namespace: "/books", ID: "a"}
	name := func(n int) string { return fmt.Sprintf("%07d", n) }
	for n := 0; n < keys; {
		var ops []durability.Op
		for ; n < keys && len(ops) < 20_000; n++ {
			ops = append(ops, durability.Put{Tray: durability.Tray{Namespace: "pages", ID: name(n)}, Row: durability.Row{Doc: fmt.Appendf(nil, `{"value":"page %d"}`, n)}})
		}
		if err := store.Apply(t.Context(), instance, 0, ops); err != nil {
			t.Fatal(err)
		}
	}
	var call func(ctx context.Context, b *Book) error
	w := newShelf(t, store, &call)
	defer func() { _ = w.Shutdown(context.Background()) }()

	rng := rand.New(rand.NewPCG(1, 1))
	before := heap()
	inBook(t, w, &call, func(ctx context.Context, b *Book) error {
		for range 5_000 {
			n := rng.IntN(keys)
			if v, ok, err := b.pages.Get(ctx, name(n)); err != nil || !ok || v != fmt.Sprintf("page %d", n) {
				return fmt.Errorf("%s is %q, %v: %w", name(n), v, ok, err)
			}
		}
		n := 0
		for e, err := range b.pages.Scan(ctx, pinned.Range{}) {
			if err != nil || e.Key != name(n) {
				return fmt.Errorf("key %d is %s: %w", n, e.Key, err)
			}
			n++
		}
		if n != keys {
			return fmt.Errorf("%d keys", n)
		}
		for range 2_000 {
			n := rng.IntN(keys)
			b.pages.Put(ctx, name(n), fmt.Sprintf("page %d", n))
		}
		return nil
	})
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("the heap has grown by %d bytes over %d keys", grown, keys)
	}
}

func heap() uint64 {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}
