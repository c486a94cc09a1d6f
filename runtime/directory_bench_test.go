package runtime

import (
	"context"
	"strconv"
	"testing"
)

// BenchmarkTurnAmong is all that a turn adds to a request whose instance is
// resident: the lookup, the count of what is in flight, the context, the turn.
// 64 of the residents are in use, as many as a worker serves at once. Target among
// 100,000: 300 ns and one allocation.
func BenchmarkTurnAmong(b *testing.B) {
	for _, residents := range []int{1, 100_000} {
		b.Run(strconv.Itoa(residents), func(b *testing.B) { benchmarkTurns(b, residents, min(residents, 64)) })
	}
}

// BenchmarkTurnOfAll asks each of 100,000 residents in turn, whose records the
// processor's caches don't hold: this measures memory.
func BenchmarkTurnOfAll(b *testing.B) { benchmarkTurns(b, 100_000, 100_000) }

func benchmarkTurns(b *testing.B, residents, asked int) {
	b.Helper()
	ids := manyIDs(residents)
	k := newBench(b, ids)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	step, i := 7919%residents, 0
	used := make([]string, asked)
	for n := range used {
		used[n] = ids[i]
		i = (i + step) % residents
	}
	i = 0
	for b.Loop() {
		t := &turn{}
		in, err := k.enter(ctx, used[i], t, false)
		if err != nil {
			b.Fatal(err)
		}
		t.end()
		in.done()
		if i++; i == asked {
			i = 0
		}
	}
}

// BenchmarkActivation is the first request of an id, with an Open hook.
func BenchmarkActivation(b *testing.B) {
	h := newHost(b, &hooks{}, WithMaxInstances(1<<30))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		in, err := h.boxes.activate(b.Context(), strconv.Itoa(i))
		if err != nil {
			b.Fatal(err)
		}
		in.done()
	}
}

// BenchmarkSweep looks at 100,000 residents of which none is due.
func BenchmarkSweep(b *testing.B) {
	k := newBench(b, manyIDs(100_000))
	b.ReportAllocs()
	for b.Loop() {
		k.w.shards(func(sh *shard) { sh.sweep(0) })
	}
}
