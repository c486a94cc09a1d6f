package runtime

import (
	"context"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/core/directory"
)

const (
	// concurrentEvictions bounds how many Idle and Close hooks of idle instances
	// run at once, so that what became idle together doesn't fall on a database
	// together.
	concurrentEvictions = 64
	// sweepStep bounds how many records are looked at under a shard's lock.
	sweepStep = 256
	// longestSweep is the longest time between two sweeps.
	longestSweep = 30 * time.Second
)

// sweep evicts what has been idle for long enough, until the worker drains. It
// holds a shard's lock for a few records at a time, so that no request waits for
// a walk over all.
func (w *Worker) sweep() {
	every := min(w.idleTimeout/10+1, longestSweep)
	for {
		fired, stop := w.clock.Timer(every)
		select {
		case <-fired:
			if before := w.now() - w.idleTimeout; before >= 0 {
				w.shards(func(sh *shard) { sh.sweep(before) })
			}
		case <-w.drain.Done():
			stop()
			return
		}
	}
}

// sweep evicts what has been idle in a shard since before or at a moment.
func (sh *shard) sweep(before time.Duration) {
	for from, first := 0, true; first || from > 0; first = false {
		var due []*instance
		sh.mu.Lock()
		due, from = sh.dir.Due(before, from, sweepStep)
		sh.mu.Unlock()
		for _, in := range due {
			in.consider(before)
		}
	}
}

// consider evicts an instance that the directory has pinned as due: at once where
// no hook has to be asked or run, else in one of a bounded number of goroutines.
func (in *instance) consider(before time.Duration) {
	k := in.shard.kind
	if !k.closes && !k.idles && (in.durable == nil || !in.durable.pending()) {
		in.evict(before)
		return
	}
	w := k.w
	select {
	case w.evictions <- struct{}{}:
		w.work.Go(func() {
			defer func() { <-w.evictions }()
			in.evict(before)
		})
	case <-w.drain.Done():
		in.spare() // the drain closes it, and waits for no slot
	}
}

// spare lets go of an instance that is pinned as due.
func (in *instance) spare() {
	sh, now := in.shard, in.w().now()
	sh.mu.Lock()
	in.unlock(sh.dir.Stay(&in.rec, now))
}

// evict asks an instance that the directory has pinned as due whether it may go,
// and closes it then.
func (in *instance) evict(before time.Duration) {
	may := !in.shard.kind.idles
	defer func() {
		sh, now := in.shard, in.w().now()
		sh.mu.Lock()
		if !may {
			in.unlock(sh.dir.Stay(&in.rec, now))
			return
		}
		evicted, effect := sh.dir.Evict(&in.rec, before, now)
		if evicted {
			sh.kind.evictions.Add(1)
		}
		if effect == directory.Close {
			sh.mu.Unlock()
			in.close() // here, in the bounded goroutine
			return
		}
		in.unlock(effect)
	}()
	if !may {
		in.hook(in.w().last, freeTurn, func(ctx context.Context) {
			may = in.obj.(pinned.Idler).Idle(ctx) //nolint:errcheck,forcetypeassert // the kind has it
		})
	}
}
