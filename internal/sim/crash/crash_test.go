package crash

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// seeds is how many seeds a test runs, and doublesOf of how many of them every double
// crash.
const (
	seeds     = 4
	doublesOf = 1
)

// report fails the test with the run, how to repeat it, and what happened.
func report(t *testing.T, res Result) {
	t.Helper()
	t.Errorf("%v\n%s", res.Err, strings.Join(res.Events, "\n"))
}

func TestTheWorkloadEndsWithoutACrash(t *testing.T) {
	for seed := range uint64(seeds) {
		for _, single := range []bool{false, true} {
			res := Do(Run{Seed: seed, Single: single})
			if res.Err != nil {
				report(t, res)
			}
			if res.Ops < 40 {
				t.Errorf("seed %d: only %d operations", seed, res.Ops)
			}
			t.Logf("seed %d, single operations %v: %d operations", seed, single, res.Ops)
		}
	}
}

func TestOneSeedIsOneTrace(t *testing.T) {
	for seed := range uint64(seeds) {
		r := Run{Seed: seed, Crashes: []int{7, 20}}
		a, b := Do(r), Do(r)
		if a.Trace != b.Trace || a.Ops != b.Ops {
			t.Errorf("%v: two traces", r)
		}
		if other := Do(Run{Seed: seed + 100, Crashes: r.Crashes}); other.Trace == a.Trace {
			t.Errorf("seeds %d and %d have one trace", seed, seed+100)
		}
	}
}

// sweep runs every single crash point of a seed, and every double one, and stops at the
// first run that fails.
func sweep(seed uint64, single, doubles bool) (runs int, failed *Result) {
	base := Do(Run{Seed: seed, Single: single})
	if base.Err != nil {
		return 1, &base
	}
	var (
		points = make(chan int, base.Ops+1)
		count  atomic.Int64
		first  atomic.Pointer[Result]
		wg     sync.WaitGroup
	)
	for p := range base.Ops + 1 {
		points <- p + 1
	}
	close(points)
	try := func(crashes ...int) Result {
		count.Add(1)
		res := Do(Run{Seed: seed, Single: single, Crashes: crashes})
		if res.Err != nil {
			first.CompareAndSwap(nil, &res)
		}
		return res
	}
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for p := range points {
				once := try(p)
				for second := p + 1; doubles && once.Err == nil && second <= once.Ops+1 && first.Load() == nil; second++ {
					try(p, second)
				}
				if first.Load() != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return int(count.Load()), first.Load()
}

func TestEverySingleAndDoubleCrash(t *testing.T) {
	for seed := range uint64(seeds) {
		for _, single := range []bool{false, true} {
			runs, failed := sweep(seed, single, seed < doublesOf && !testing.Short() && !raced)
			if failed != nil {
				report(t, *failed)
				return
			}
			t.Logf("seed %d, single operations %v: %d runs", seed, single, runs)
		}
	}
}
