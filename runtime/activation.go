package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/core/directory"
)

// launch begins an activation that create has made room for. What has an Open
// hook runs in a goroutine with a slot, so that it goes on when the request that
// began it goes away; the rest is made at once.
func (in *instance) launch() {
	k := in.shard.kind
	if !k.opens {
		in.opening.Store(true)
		in.opened(in.make())
		return
	}
	if k.w.askSlot(in) {
		k.w.work.Go(in.openInSlot)
	}
}

// openInSlot opens an instance that has a slot, and hands the slot on.
func (in *instance) openInSlot() {
	var once sync.Once
	free := func() {
		once.Do(func() {
			if next := in.w().freeSlot(); next != nil {
				in.w().work.Go(next.openInSlot)
			}
		})
	}
	defer free()
	in.opening.Store(true)

	w := in.w()
	ctx, cancel := context.WithTimeout(w.last, w.openTimeout)
	defer cancel()
	// An Open that ignores the end of its context keeps its record, since its
	// value may still be at work, but neither its slot nor who waits for it.
	overdue := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			in.abort(&ending{err: fmt.Errorf("open: not done in %v", w.openTimeout)}, "activation failed")
			free()
		}
	})
	err := errGoexit // what stays where the code below doesn't return
	defer func() {
		overdue()
		in.opened(err)
	}()
	made := in.make()
	if made == nil {
		made = in.callOpen(ctx)
	}
	err = made
}

// make makes the value and sets it up.
func (in *instance) make() (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = in.broken("set up", value)
		}
	}()
	in.obj = in.shard.kind.fresh(in)
	return nil
}

// callOpen calls the Open hook, in a turn.
func (in *instance) callOpen(ctx context.Context) (err error) {
	t := newTurn(ctx, in)
	defer t.end()
	defer func() {
		if value := recover(); value != nil {
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
