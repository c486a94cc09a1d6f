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
	// sweepBatch bounds for how many instances a shard's lock is held.
	sweepBatch = 64
	// longestSweep is the longest time between two sweeps.
	longestSweep = 10 * time.Second
)

// sweep evicts what has been idle for long enough, until the worker drains. Its
// cost is that of what it evicts, not of what is resident.
func (w *Worker) sweep() {
	every := min(w.idleTimeout/10+1, longestSweep)
	for {
		fired, stop := w.clock.Timer(every)
		select {
		case <-fired:
			w.shards(w.sweepShard)
		case <-w.drain.Done():
			stop()
			return
		}
	}
}

// sweepShard evicts what is due in a shard.
func (w *Worker) sweepShard(sh *shard) {
	before := w.now() - w.idleTimeout
	if before < 0 {
		return
	}
	if !sh.kind.closes && !sh.kind.idles {
		for sh.evictAll(before) == sweepBatch {
		}
		return
	}
	for {
		select {
		case w.evictions <- struct{}{}:
		case <-w.drain.Done():
			return
		}
		sh.mu.Lock()
		due := sh.dir.Due(before, 1)
		sh.mu.Unlock()
		if len(due) == 0 {
			<-w.evictions
			return
		}
		w.work.Go(func() {
			defer func() { <-w.evictions }()
			due[0].evict(before)
		})
	}
}

// evictAll evicts a batch of instances that have no hook to ask or to run.
func (sh *shard) evictAll(before time.Duration) int {
	now := sh.kind.w.now()
	sh.mu.Lock()
	due := sh.dir.Due(before, sweepBatch)
	closing := due[:0]
	for _, in := range due {
		if evicted, effect := sh.dir.Evict(&in.rec, before, now); evicted && effect == directory.Close {
			closing = append(closing, in)
		}
	}
	sh.mu.Unlock()
	for _, in := range closing {
		sh.kind.evictions.Add(1)
		in.close()
	}
	return len(closing)
}

// evict asks an instance that the directory has pinned as due whether it may go,
// and closes it then.
func (in *instance) evict(before time.Duration) {
	may := !in.shard.kind.idles
	defer func() {
		sh, now := in.shard, in.w().now()
		var (
			evicted bool
			effect  directory.Effect
		)
		sh.mu.Lock()
		if may {
			evicted, effect = sh.dir.Evict(&in.rec, before, now)
		} else {
			effect = sh.dir.Stay(&in.rec, now)
		}
		sh.mu.Unlock()
		if evicted {
			sh.kind.evictions.Add(1)
		}
		if effect == directory.Close {
			in.close() // here, in the bounded goroutine
		} else {
			in.after(effect)
		}
	}()
	if !may {
		in.hook(in.w().last, freeTurn, func(ctx context.Context) {
			may = in.obj.(pinned.Idler).Idle(ctx) //nolint:errcheck,forcetypeassert // the kind has it
		})
	}
}
