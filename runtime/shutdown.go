package runtime

import (
	"context"
	"errors"
	"fmt"
)

// errCut is the cause of what a drain cancels.
var errCut = errors.New("the time of the drain is nearly over")

// Shutdown ends the worker. It refuses ids that aren't resident, lets requests
// that are in flight finish, ends streams and sockets, closes every instance as
// soon as nothing of it runs, and waits for all of that. It takes until the end of
// ctx, or the drain timeout if that is shorter (WithDrainTimeout). What still runs
// after four fifths of that time, background work first of all, is cancelled, so
// that the Close hooks have the rest. Nil: everything has ended.
//
// It may be called before Start, and again: then it waits for the same end.
func (w *Worker) Shutdown(ctx context.Context) error {
	began := w.clock.Now()
	ctx, cancel := context.WithTimeout(ctx, w.drainTimeout)
	defer cancel()
	w.beginDrain()

	deadline, _ := ctx.Deadline()
	near, stop := w.clock.Timer(deadline.Sub(began) * 4 / 5)
	defer stop()
	for {
		select {
		case <-w.drained:
			return w.finish(ctx)
		default:
		}
		select {
		case <-w.drained:
		case <-near:
			w.cutWork()
		case <-ctx.Done():
			w.cutWork()
			w.giveUp()
			return w.unfinished(ctx)
		}
	}
}

// beginDrain refuses what is new, and closes what is idle.
func (w *Worker) beginDrain() {
	w.mu.Lock()
	first, drained := w.residence.Drain()
	w.loosen()
	if first && drained {
		close(w.drained)
	}
	w.mu.Unlock()
	if !first {
		return
	}
	w.logger.Info("draining")
	if w.member != nil {
		w.member.soon() // the pinboard places nothing more here
	}
	w.drainNow(errDraining)
	w.ticks.silence()
	w.shards(func(sh *shard) {
		sh.mu.Lock()
		closing := sh.dir.Drain()
		sh.mu.Unlock()
		for _, in := range closing {
			in.closeSoon()
		}
	})
}

// cutWork aborts what hasn't ended by itself.
func (w *Worker) cutWork() {
	if w.cut.Err() != nil {
		return
	}
	w.cutNow()
	for _, in := range w.resident() {
		in.abort(&ending{err: &abortedError{errCut}}, "instance cut short by the drain")
	}
}

// resident are all instances, in no particular order.
func (w *Worker) resident() (all []*instance) {
	w.shards(func(sh *shard) {
		sh.mu.Lock()
		all = sh.dir.All(all)
		sh.mu.Unlock()
	})
	return all
}

// finish waits for the last goroutines, which have nothing left to do.
func (w *Worker) finish(ctx context.Context) error {
	if w.member != nil {
		w.member.leave(ctx)
	}
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.cutNow()
	w.work.Wait()
	w.giveUp()
	err := w.releaseStore()
	if err != nil {
		w.metrics.shutdownFailed("store")
	}
	return err
}

// unfinished says what a drain has left running.
func (w *Worker) unfinished(ctx context.Context) error {
	left := w.resident()
	w.metrics.shutdownFailed("drain")
	w.logger.Error("the drain is over, and not all work has ended", "instances", len(left))
	return fmt.Errorf("shutdown: %d instances have not ended: %w", len(left), context.Cause(ctx))
}
