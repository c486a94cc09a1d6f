package fence_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pinned-go/pinned/internal/core/fence"
)

func TestWhatHasEndedIsRefused(t *testing.T) {
	f := fence.Fences{Window: 20 * time.Second}
	key, other := fence.Key{Namespace: "/rooms", ID: "a"}, fence.Key{Namespace: "/rooms", ID: "A"}
	f.End(key, 7, 5*time.Second)
	for _, test := range []struct {
		key   fence.Key
		epoch int64
		now   time.Duration
		want  fence.Verdict
	}{
		{key, 6, 5 * time.Second, fence.Stale},
		{key, 0, 5 * time.Second, fence.Stale},
		{key, 7, 5 * time.Second, fence.Released},
		{key, 7, 25*time.Second - 1, fence.Released},
		{key, 7, 25 * time.Second, fence.Pass},
		{key, 8, 5 * time.Second, fence.Pass},
		{other, 1, 5 * time.Second, fence.Pass},
	} {
		if got := f.Check(test.key, test.epoch, test.now); got != test.want {
			t.Errorf("%v at epoch %d, %v: %v, want %v", test.key, test.epoch, test.now, got, test.want)
		}
	}
}

// TestFencesAgainstAList holds them against one that forgets nothing.
func TestFencesAgainstAList(t *testing.T) {
	type ended struct {
		key   fence.Key
		epoch int64
		at    time.Duration
	}
	const window = 50
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		f := fence.Fences{Window: window}
		var all []ended
		now := time.Duration(0)
		for range 500 {
			now += time.Duration(rng.IntN(5))
			key := fence.Key{Namespace: "/n", ID: fmt.Sprint(rng.IntN(8))}
			epoch := int64(rng.IntN(20))
			if rng.IntN(2) == 0 {
				f.End(key, epoch, now)
				all = append(all, ended{key, epoch, now})
				continue
			}
			// The highest counts for a window after the last end, as long as the ends follow
			// each other within one.
			want, highest, last := fence.Pass, int64(-1), time.Duration(-1)
			for _, e := range all {
				if e.key != key {
					continue
				}
				if last >= 0 && e.at-last >= window {
					highest = -1
				}
				highest, last = max(highest, e.epoch), e.at
			}
			switch {
			case last < 0 || now-last >= window:
			case epoch < highest:
				want = fence.Stale
			case epoch == highest:
				want = fence.Released
			}
			if got := f.Check(key, epoch, now); got != want {
				t.Fatalf("seed %d: %v at epoch %d: %v, want %v", seed, key, epoch, got, want)
			}
		}
		if f.Len() > 8 {
			t.Errorf("%d are remembered", f.Len())
		}
	}
}

func TestFencesDoNotGrow(t *testing.T) {
	f := fence.Fences{Window: 100}
	for n := range 10_000 {
		f.End(fence.Key{Namespace: "/n", ID: fmt.Sprint(n)}, 1, time.Duration(n))
		if f.Len() > 101 {
			t.Fatalf("%d are remembered after %d", f.Len(), n)
		}
	}
}
