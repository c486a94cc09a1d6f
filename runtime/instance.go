package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/directory"
	line "github.com/pinned-go/pinned/internal/core/turn"
)

// instance is one live value and its record in the directory. Most are idle, and
// then they are all that the runtime keeps of their id: what is only needed while
// something happens is nil until then.
type instance struct {
	// rec, change and failed belong to the shard's lock.
	rec    directory.Record[instance]
	change chan struct{} // closed when the record's state changes; nil while nobody waits for that
	shard  *shard

	obj       any         // the *T; written before the instance is Active
	activated int64       // unix milliseconds; likewise
	opening   atomic.Bool // the activation has its slot
	ended     atomic.Pointer[ending]
	durable   *durable     // nil where the kind keeps nothing; written before setup
	epoch     atomic.Int64 // of the placement; 0 in local mode, but where rows of a fleet were taken over

	// mu guards the line, who holds the turn, and the contexts to end.
	mu     sync.Mutex
	line   line.Line[*waiter]
	holder *turn
	open   *merged // the contexts that somebody waits for
}

// ending is why an instance has ended.
type ending struct {
	err    error
	normal bool // nobody aborted it
}

// errEnded is the cause of the contexts that outlive a normal end.
var errEnded = errors.New("the instance has ended")

// ID is the id.
func (in *instance) ID() string { return in.rec.ID() }

// Now is the time of the worker's clock.
func (in *instance) Now() time.Time { return in.w().clock.Now() }

// Epoch is that of the placement, 0 in local mode.
func (in *instance) Epoch() int64 { return in.epoch.Load() }

// Log has the namespace and the id.
func (in *instance) Log() *slog.Logger { return in.shard.kind.log.With("id", clip(in.ID())) }

func (in *instance) w() *Worker { return in.shard.kind.w }

// Turn runs f in a turn, or just runs it inside one.
func (in *instance) Turn(ctx context.Context, f func(context.Context) error) error {
	if outer, ok := ctx.Value(bind.TurnKey{}).(*turn); ok && outer.in == in && outer.current() != nil {
		return f(ctx)
	}
	t := newTurn(ctx, in)
	defer in.endInner(t, ctx)
	if err := t.acquire(); err != nil {
		return err
	}
	var err error
	in.guard(t, func(ctx context.Context) { err = f(ctx) })
	return err
}

// endInner ends a turn that code with ctx has entered. What it has written and
// seen, the work that ctx is of answers for.
func (in *instance) endInner(t *turn, ctx context.Context) { //nolint:revive // ctx isn't this function's own
	t.end()
	if in.durable == nil {
		return
	}
	if outer := in.turnIn(ctx); outer != nil {
		outer.raise(t.gate.Load())
		outer.note(t.notes.Load() & faulty)
	}
}

// Go starts background work in a goroutine of its own, in turns.
func (in *instance) Go(ctx context.Context, f func(context.Context)) {
	var gate int64
	if from := in.turnIn(ctx); from != nil {
		gate = from.said()
	}
	if !in.start(backgroundTurn(ctx, in, gate), f, nil) {
		in.Log().Warn("background work wasn't started: the instance has ended")
	}
}

// backgroundTurn is that of work which carries the gate of its origin.
func backgroundTurn(ctx context.Context, in *instance, gate int64) *turn {
	t := newTurn(context.WithoutCancel(ctx), in)
	t.raise(gate)
	return t
}

// start runs f in a goroutine, with t, as work that the instance waits for.
// ended, if not nil, is closed when f has ended or never will begin. It is false
// where the instance has come to its end already.
func (in *instance) start(t *turn, f func(context.Context), ended chan<- struct{}) bool {
	sh := in.shard
	sh.mu.Lock()
	ok := sh.dir.Begin(&in.rec)
	sh.mu.Unlock()
	if !ok {
		t.end()
		if ended != nil {
			close(ended)
		}
		return false
	}
	in.w().work.Go(func() {
		defer func() {
			now := in.w().now()
			sh.mu.Lock()
			in.unlock(sh.dir.End(&in.rec, now))
		}()
		if ended != nil {
			defer close(ended)
		}
		defer contain()
		defer t.end()
		if t.acquire() == nil {
			in.guard(t, f)
		}
	})
	return true
}

// contain keeps a panic, which guard has dealt with, from ending the process.
func contain() { _ = recover() }

// guard runs f, author's code that has t. A panic, or runtime.Goexit, aborts the
// instance and goes on.
func (in *instance) guard(t *turn, f func(context.Context)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		t.spoil()
		in.panicked(value, debug.Stack())
		if value != nil {
			panic(value)
		}
	}()
	seated(t, f, context.Context(t))
	returned = true
}

// panicked aborts the instance because of what was recovered in an author's code;
// nil stands for runtime.Goexit. A panic that passes several of our frames is
// logged once.
func (in *instance) panicked(value any, stack []byte) {
	if value == nil {
		value = errGoexit
	}
	if in.fellBy(value) {
		return
	}
	cause := &panicError{value}
	in.Log().Error("panic in an object's code", "panic", cause.Error(), "stack", stackText(stack))
	in.Abort(cause)
}

// fellBy reports whether a panic with that value has aborted the instance.
func (in *instance) fellBy(value any) bool {
	var p *panicError
	e := in.ended.Load()
	return e != nil && errors.As(e.err, &p) && same(p.value, value)
}

// same compares the values of two panics; those that have no == by their texts.
func same(a, b any) (equal bool) {
	defer func() {
		if recover() != nil {
			equal = fmt.Sprint(a) == fmt.Sprint(b)
		}
	}()
	return a == b
}

// Abort begins the end of the instance. Only the first one counts.
func (in *instance) Abort(cause error) {
	if cause == nil {
		cause = errors.New("no cause was given")
	}
	in.abort(&ending{err: &abortedError{cause}}, "instance aborted")
}

// abort is Abort for any reason. message is logged, if it was the first.
func (in *instance) abort(e *ending, message string) {
	sh := in.shard
	sh.mu.Lock()
	activating := in.rec.State() == directory.Activating
	aborted, effect := sh.dir.Abort(&in.rec)
	sh.mu.Unlock()
	if !aborted {
		return
	}
	if activating {
		e.err = &activationError{e.err}
	}
	in.end(e)
	in.Log().Warn(message, "cause", clip(e.err.Error()))
	// Who waits for the activation learns of its failure now, however long its
	// Open goes on.
	sh.mu.Lock()
	in.changed()
	in.unlock(effect)
}

// abortCause is why the instance was aborted; nil while it lives, and after a
// normal end.
func (in *instance) abortCause() error {
	if e := in.ended.Load(); e != nil && !e.normal {
		return e.err
	}
	return nil
}

// end ends the contexts of the instance and sends its line home. The first reason
// stays.
func (in *instance) end(e *ending) {
	if !in.ended.CompareAndSwap(nil, e) {
		return
	}
	in.mu.Lock()
	sent := in.line.Disband()
	var open []*merged
	for m := in.open; m != nil; m = in.open {
		open = append(open, m)
		in.unlist(m)
	}
	in.mu.Unlock()
	for _, w := range sent {
		w.Value.wake <- false
	}
	for _, m := range open {
		m.cancel(e.err)
	}
}

// done gives back what activate or enter has counted.
func (in *instance) done() {
	sh := in.shard
	now := in.w().now()
	sh.mu.Lock()
	in.unlock(sh.dir.Depart(&in.rec, now))
}

// unlock ends a step of the directory, whose effect it carries out. The shard
// must be locked.
func (in *instance) unlock(effect directory.Effect) {
	sh := in.shard
	again := false
	if effect == directory.Remove {
		again = in.durable != nil && in.durable.wanted()
		in.w().metrics.ended(in.ended.Load())
		if m := in.w().member; m != nil {
			m.ended(in, again) // before the id is free: its epoch is refused from now on
		}
		// Who waits for the room or for the id must find both free at once.
		in.w().departed()
		in.changed()
	}
	sh.mu.Unlock()
	switch {
	case effect == directory.Close:
		in.closeSoon()
	case effect == directory.Remove && in.durable != nil:
		in.durable.ended(again)
	}
}

// closeSoon closes the instance, in a goroutine where that takes a hook.
func (in *instance) closeSoon() {
	if in.shard.kind.closes || in.durable != nil && in.durable.pending() {
		in.w().work.Go(in.close)
	} else {
		in.close()
	}
}

// close runs the Close hook, in a turn whose context doesn't end with the
// instance, waits until what was written is durable, and then ends the instance
// for good: the next one reads what the store has.
func (in *instance) close() {
	defer func() {
		if in.durable != nil {
			in.durable.drain(in.w().last)
		}
		in.end(&ending{err: errEnded, normal: true})
		in.shard.mu.Lock()
		in.unlock(in.shard.dir.Closed(&in.rec))
	}()
	if in.shard.kind.closes {
		in.hook(in.w().last, lastTurn, func(ctx context.Context) {
			if err := in.obj.(pinned.Closer).Close(ctx); err != nil { //nolint:errcheck,forcetypeassert // the kind has it
				in.w().metrics.callbackFailed("close")
				in.Log().Error("the Close hook failed", "error", clip(err.Error()))
			}
		})
	}
}

// hook runs f, which calls a hook, in a turn that begins in a state: freeTurn, or
// lastTurn for the hook that runs although the instance has ended, and the time of
// the drain with it.
func (in *instance) hook(ctx context.Context, state uint32, f func(context.Context)) {
	t := newTurn(ctx, in)
	t.state.Store(state)
	defer contain()
	defer t.end()
	if state == lastTurn {
		t.retake()
	} else if t.acquire() != nil {
		return
	}
	in.guard(t, f)
}

// changing is closed at the next change of the record's state. The shard must be
// locked.
func (in *instance) changing() <-chan struct{} {
	if in.change == nil {
		in.change = make(chan struct{})
	}
	return in.change
}

// changed wakes who waits for a change. The shard must be locked.
func (in *instance) changed() {
	if in.change != nil {
		close(in.change)
		in.change = nil
	}
}
