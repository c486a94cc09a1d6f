package durability

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/pinned-go/pinned/internal/clock"
	"github.com/pinned-go/pinned/internal/core/frontier"
)

// FlusherOptions are those of NewFlusher. The zero ones are the defaults.
type FlusherOptions struct {
	// Env and Hostname go into every row: where its instance may run. "" is anywhere.
	Env, Hostname string
	// Settings are those of an instance's transactions, for stores that have such a
	// hook: batches with different ones don't share a statement. Nil: none.
	Settings func(Key) string
	// Clock measures how long statements take. Nil: the machine's.
	Clock clock.Clock
}

// Flusher makes what the instances of a worker write durable, in few statements:
// each takes what all instances have enlisted by then, 64 at most. There are two at a
// time, and more only while they are slow (durability contract, section 3). It has
// goroutines only while there is something to flush.
type Flusher struct {
	FlusherOptions

	store  StateStore
	batch  Batcher         // nil: rows go singly
	multi  MultiBatcher    // nil: an instance at a time
	ctx    context.Context //nolint:containedctx // that of the statements, which Close ends
	cancel context.CancelFunc

	mu    sync.Mutex
	lanes frontier.Lanes[*Frontier]
	busy  int           // goroutines
	idle  chan struct{} // closed when there is none; nil while nobody waits for that
}

// NewFlusher makes the flusher of a store. What the store has beside StateStore,
// Batcher and MultiBatcher, is used.
func NewFlusher(store StateStore, o FlusherOptions) *Flusher {
	fl := &Flusher{FlusherOptions: o, store: store}
	if fl.Clock == nil {
		fl.Clock = clock.System
	}
	fl.batch, _ = store.(Batcher)
	fl.multi, _ = store.(MultiBatcher)
	fl.ctx, fl.cancel = context.WithCancel(context.Background())
	return fl
}

// Close waits until everything that was enlisted is flushed. When ctx ends first, what
// is in flight is cancelled, and its instances fail.
func (fl *Flusher) Close(ctx context.Context) error {
	defer fl.cancel()
	for {
		fl.mu.Lock()
		if fl.busy == 0 {
			fl.mu.Unlock()
			return nil
		}
		if fl.idle == nil {
			fl.idle = make(chan struct{})
		}
		idle := fl.idle
		fl.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			fl.cancel()
			<-idle
			return context.Cause(ctx)
		}
	}
}

// ready hands an instance to the lanes, and starts what they need.
func (fl *Flusher) ready(f *Frontier, alone bool) {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	if alone {
		fl.lanes.Alone(f)
	} else {
		fl.lanes.Ready(f)
	}
	fl.dispatch()
}

// dispatch starts a goroutine for each statement that may be sent. mu must be held.
func (fl *Flusher) dispatch() {
	for {
		s, ok := fl.lanes.Next(fl.together)
		if !ok {
			return
		}
		fl.busy++
		go fl.lane(s)
	}
}

// together reports whether two instances may share a statement.
func (fl *Flusher) together(a, b *Frontier) bool { return fl.multi != nil && a.settings == b.settings }

// lane sends statements until nothing waits.
func (fl *Flusher) lane(s frontier.Statement[*Frontier]) {
	for ok := true; ok; {
		began := fl.Clock.Now()
		fl.send(s)
		took := fl.Clock.Since(began)

		fl.mu.Lock()
		fl.lanes.Settled(s, took)
		s, ok = fl.lanes.Next(fl.together)
		if ok {
			fl.dispatch()
		} else {
			fl.leave()
		}
		fl.mu.Unlock()
	}
}

// leave ends a goroutine. mu must be held.
func (fl *Flusher) leave() {
	if fl.busy--; fl.busy == 0 && fl.idle != nil {
		close(fl.idle)
		fl.idle = nil
	}
}

// send flushes one statement.
func (fl *Flusher) send(s frontier.Statement[*Frontier]) {
	instances := slices.DeleteFunc(s.Instances, func(f *Frontier) bool { return !f.take() })
	if len(instances) == 0 {
		return
	}
	// Sorted, so that two statements never wait for each other's locks in turn.
	slices.SortFunc(instances, func(a, b *Frontier) int {
		if c := strings.Compare(a.key.Namespace, b.key.Namespace); c != 0 {
			return c
		}
		return strings.Compare(a.key.ID, b.key.ID)
	})
	if fl.multi == nil || s.Alone {
		for _, f := range instances {
			f.settle(fl.apply(f))
		}
		return
	}
	batches := make([]Batch, len(instances))
	for i, f := range instances {
		batches[i] = Batch{Key: f.key, Epoch: f.epoch, Ops: f.ops, Settings: f.settings}
	}
	for i, err := range fl.multi.ApplyAll(fl.ctx, batches) {
		f := instances[i]
		if errors.Is(err, ErrLocked) || err != nil && len(instances) > 1 && !final(err) {
			fl.ready(f, true) // by itself: another's lock, or another's document, may be why
			continue
		}
		f.settle(err)
	}
}

// final reports whether an error is about this batch, or about what can't be sent
// again.
func final(err error) bool {
	var fence *FenceLost
	var rejected *RejectedError
	var unknown *UnknownError
	return errors.As(err, &fence) || errors.As(err, &rejected) || errors.As(err, &unknown) || errors.Is(err, ErrClosed)
}

// apply flushes one instance by itself.
func (fl *Flusher) apply(f *Frontier) error {
	if fl.batch != nil {
		return fl.batch.Apply(fl.ctx, f.key, f.epoch, f.ops)
	}
	for _, op := range f.ops {
		var err error
		switch op := op.(type) {
		case Put:
			err = fl.store.Put(fl.ctx, f.key, f.epoch, op.Tray, op.Row)
		case Delete:
			err = fl.store.Delete(fl.ctx, f.key, f.epoch, op.Tray)
		default:
			err = &RejectedError{Key: f.key, Op: op.Op(), Reason: "the store has no such operation"}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
