package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/core/directory"
)

// launch begins an activation that create has made room for. What has an Open
// hook runs in a goroutine with a slot, so that it goes on when the request that
// began it goes away, and so does what reads rows; the rest is made at once.
func (in *instance) launch() {
	k := in.shard.kind
	if !k.opens && k.keeps == nil {
		in.opening.Store(true)
		in.opened(in.make())
		return
	}
	if k.w.askSlot(in) {
		in.opening.Store(true)
		k.w.work.Go(in.openInSlot)
	}
}

// openInSlot opens an instance that has a slot, and hands the slot on.
func (in *instance) openInSlot() {
	in.opening.Store(true)
	w := in.w()
	o := &opening{Context: w.last, in: in, deadline: w.clock.Now().Add(w.openTimeout)}
	defer o.free()
	inTime := w.clock.AfterFunc(w.openTimeout, o.overdue)
	err := errGoexit // what stays where the code below doesn't return
	defer func() {
		inTime()
		in.opened(err)
	}()
	made := in.prepare(o)
	if made == nil && in.shard.kind.opens {
		made = in.callOpen(o)
	}
	err = made
}

// prepare reads the rows, where the kind has any, and makes the value.
func (in *instance) prepare(ctx context.Context) error {
	if in.shard.kind.keeps != nil {
		if err := in.hydrate(ctx); err != nil {
			return err
		}
	}
	return in.make()
}

// opening is the context of an Open hook, and its slot. The time that Open has
// ends with the instance, so a context of its own is not needed for that.
type opening struct {
	context.Context

	in       *instance
	deadline time.Time
	freed    atomic.Bool
}

// Deadline implements context.Context.
func (o *opening) Deadline() (time.Time, bool) { return o.deadline, true }

// overdue ends the activation. An Open that ignores the end of its context keeps
// its record, since its value may still be at work, but neither its slot nor who
// waits for it.
func (o *opening) overdue() {
	o.in.abort(&ending{err: fmt.Errorf("open: not done in %v", o.in.w().openTimeout)}, "activation failed")
	o.free()
}

// free hands the slot on, once.
func (o *opening) free() {
	if o.freed.Swap(true) {
		return
	}
	if next := o.in.w().freeSlot(); next != nil {
		o.in.w().work.Go(next.openInSlot)
	}
}

// make makes the value and sets it up.
func (in *instance) make() (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = in.broken("set up", value)
		}
	}()
	in.obj, err = in.shard.kind.fresh(in)
	return err
}

// callOpen calls the Open hook, in a turn.
func (in *instance) callOpen(ctx context.Context) (err error) {
	t := newTurn(ctx, in)
	defer t.end()
	defer func() {
		if value := recover(); value != nil {
			t.spoil()
			err = in.broken("open", value)
		}
	}()
	if err := t.acquire(); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	var open error
	seated(t, func(ctx context.Context) { open = in.obj.(pinned.Opener).Open(ctx) }, context.Context(t)) //nolint:errcheck,forcetypeassert // the kind has it
	if open != nil {
		return fmt.Errorf("open: %w", open)
	}
	return nil
}

// broken logs a panic of code that runs before the instance is there.
func (in *instance) broken(operation string, value any) error {
	err := fmt.Errorf("%s: %w", operation, &panicError{value})
	if !in.fellBy(value) {
		in.Log().Error("panic in an object's code", "panic", clip(err.Error()), "stack", stackText(debug.Stack()))
	}
	return err
}

// opened is the end of an activation.
func (in *instance) opened(err error) {
	k := in.shard.kind
	w := k.w
	if err != nil {
		failure := &activationError{err}
		in.end(&ending{err: failure})
		in.Log().Error("activation failed", "error", clip(err.Error()))
		if in.durable != nil {
			in.durable.drain(w.last) // the next activation reads what this one has written
		}
	} else if in.durable != nil {
		in.durable.start()
	}
	in.activated = w.clock.Now().UnixMilli()

	sh := in.shard
	sh.mu.Lock()
	var effect directory.Effect
	if err != nil {
		effect = sh.dir.Failed(&in.rec)
	} else {
		effect = sh.dir.Activated(&in.rec, w.now())
	}
	if in.rec.State() == directory.Active {
		k.activations.Add(1)
		w.metrics.activated()
	}
	in.changed()
	in.unlock(effect)
}

// activationFailure is why the instance never became active; nil: it did, or it
// still may.
func (in *instance) activationFailure() error {
	var failure *activationError
	if e := in.ended.Load(); e != nil && errors.As(e.err, &failure) {
		return failure
	}
	return nil
}
