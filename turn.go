package pinned

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/clock"
)

// Await gives up the turn that ctx carries, runs f, and comes back with the
// turn, whether ctx has ended by then or not. It is for any wait that isn't one
// of this module's own: fields may have changed when it returns, as after an
// await elsewhere.
//
// f starts once what the turn has written, or seen of what is durable, is durable
// (durability contract, section 3): no payment leaves before the state that says
// so. Where that fails, f doesn't run, and the error says why.
//
// The context of f holds no turn: f must not touch the object's fields, and what
// it calls yields nothing. It ends with ctx and with the instance. A panic in f
// aborts the instance, and goes on in the caller. Without a turn in ctx, f just
// runs.
func Await(ctx context.Context, f func(context.Context) error) error {
	if t := bind.TurnIn(ctx); t != nil {
		return t.Yield(f)
	}
	return f(ctx)
}

// Parallel is Await for several functions at once, each in a goroutine of its
// own. It waits for all of them and joins their errors. A panic in one aborts
// the instance; it goes on in the caller once all have returned.
func Parallel(ctx context.Context, fs ...func(context.Context) error) error {
	return Await(ctx, func(inner context.Context) error {
		var (
			wg     sync.WaitGroup
			errs   = make([]error, len(fs))
			panics = make([]outcome, len(fs))
		)
		for i, f := range fs {
			wg.Go(func() {
				defer panics[i].note(bind.TurnIn(ctx))
				errs[i] = f(inner)
				panics[i].returned = true
			})
		}
		wg.Wait()

		for _, p := range panics {
			p.goOn()
		}
		return errors.Join(errs...)
	})
}

// outcome is how one function of Parallel ended.
type outcome struct {
	returned bool
	value    any // of its panic; nil: runtime.Goexit
}

// note is deferred by the goroutine of the function.
func (o *outcome) note(t bind.Turn) {
	if o.returned {
		return
	}
	o.value = recover()
	if t != nil {
		t.Panicked(o.value, debug.Stack())
	}
}

// goOn ends the caller as the function ended its goroutine.
func (o *outcome) goOn() {
	switch {
	case o.returned:
	case o.value != nil:
		panic(o.value)
	default:
		runtime.Goexit()
	}
}

// Sleep gives up the turn for d, and comes back with it. It returns earlier,
// with the error of ctx, when ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	// What starts nothing outside has no gate to wait for.
	if given := giveUp(ctx); given != nil {
		defer given.Retake()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	fired, stop := clock.System.Timer(d)
	defer stop()
	select {
	case <-fired:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
