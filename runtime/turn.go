package runtime

import (
	"context"
	"errors"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinned-go/pinned/internal/bind"
	line "github.com/pinned-go/pinned/internal/core/turn"
)

// turn is the context of one handler, hook or piece of background work, and its
// hold of the instance's turn. It ends with its parent and with the instance.
// Both are one allocation: nothing waits for the parent and for the instance at
// once until somebody asks for Done, which most handlers never do.
//
// The goroutine that runs the author's code acquires and releases it; the
// context may be used by any.
type turn struct {
	parent context.Context
	in     *instance
	forkOf *turn                  // whose context this one's code may yield on
	merged atomic.Pointer[merged] // the context once somebody asked for Done
	state  atomic.Uint32
	notes  atomic.Uint32
	// gate is up to where the writes of the instance must be durable before
	// anything that this turn says may leave (durability contract, section 3).
	gate atomic.Int64
}

// The states of a turn.
const (
	freeTurn    uint32 = iota // not held: in the line, given up for a wait, or not begun
	heldTurn                  // held
	outsideTurn               // never held: a concurrent route's
	overTurn                  // its code has returned
	lastTurn                  // as freeTurn, of the Close hook: the end of the instance doesn't concern it
	lastHeld                  // as heldTurn, likewise
)

// waiter is a place in an instance's line.
type waiter struct {
	line.Waiter[*waiter]

	turn *turn
	wake chan bool // true: the turn is ours; false: the instance ended
}

// waiters are those that a worker uses again. They aren't shared between workers,
// since a channel belongs to the testing/synctest bubble that it was made in.
type waiters struct{ pool sync.Pool }

func (ws *waiters) get() *waiter {
	if w, ok := ws.pool.Get().(*waiter); ok {
		return w
	}
	w := &waiter{wake: make(chan bool, 1)}
	w.Value = w
	return w
}

// put takes a waiter back that is in no line and whose channel is empty.
func (ws *waiters) put(w *waiter) {
	w.turn = nil
	ws.pool.Put(w)
}

// errFinished is the cause of a handler's context after the handler.
var errFinished = errors.New("the handler has returned")

func newTurn(parent context.Context, in *instance) *turn {
	t := &turn{}
	t.init(parent, in)
	return t
}

// init makes t the context of new work of in.
func (t *turn) init(parent context.Context, in *instance) {
	t.parent, t.in, t.forkOf = parent, in, nil
	t.merged.Store(nil)
	t.state.Store(freeTurn)
	t.notes.Store(0)
	t.gate.Store(0)
}

// acquire waits in the line for the turn. It leaves the line when its context
// ends. What runs outside turns waits for nothing.
func (t *turn) acquire() error {
	if t.Err() != nil {
		return context.Cause(t)
	}
	if t.state.Load() == outsideTurn {
		return nil
	}
	in := t.in
	in.mu.Lock()
	if t.orphaned() {
		in.mu.Unlock()
		return in.ended.Load().err
	}
	if in.line.Take() {
		in.holder = t
		in.mu.Unlock()
		t.hold()
		return nil
	}
	w := t.join(false)
	in.mu.Unlock()

	select {
	case ours := <-w.wake:
		in.w().waiters.put(w)
		if !ours {
			return in.ended.Load().err
		}
		t.hold()
		return nil
	case <-t.parent.Done():
	}
	in.mu.Lock()
	left := in.line.Leave(&w.Waiter)
	in.mu.Unlock()
	if !left && <-w.wake {
		in.pass() // it came at the same moment
	}
	in.w().waiters.put(w)
	return context.Cause(t.parent)
}

// orphaned reports whether the instance has ended before t could begin.
func (t *turn) orphaned() bool {
	if t.in.ended.Load() == nil {
		return false
	}
	s := t.state.Load()
	return s != lastTurn && s != lastHeld
}

// join puts t at the end of the line. The instance must be locked.
func (t *turn) join(returning bool) *waiter {
	w := t.in.w().waiters.get()
	w.turn, w.Returning = t, returning
	t.in.line.Join(&w.Waiter)
	return w
}

// hold notes that t has the turn.
func (t *turn) hold() {
	if !t.state.CompareAndSwap(freeTurn, heldTurn) {
		t.state.CompareAndSwap(lastTurn, lastHeld)
	}
}

// unhold notes that t hasn't, and reports whether it had.
func (t *turn) unhold() bool {
	return t.state.CompareAndSwap(heldTurn, freeTurn) || t.state.CompareAndSwap(lastHeld, lastTurn)
}

// held reports whether t has the turn.
func (t *turn) held() bool {
	s := t.state.Load()
	return s == heldTurn || s == lastHeld
}

// release gives up the turn.
func (t *turn) release() {
	if !t.unhold() {
		t.notHeld()
		return
	}
	t.seal()
	t.in.pass()
}

// pass hands the turn to the next in the line, if there is one.
func (in *instance) pass() (handed bool) {
	in.mu.Lock()
	next := in.line.Pass()
	if next == nil {
		in.holder = nil
		in.mu.Unlock()
		return false
	}
	in.holder = next.Value.turn
	in.mu.Unlock()
	next.Value.wake <- true
	return true
}

// retake comes back with the turn after a wait, whether the context has ended or
// not.
func (t *turn) retake() {
	in := t.in
	in.mu.Lock()
	if in.line.Take() {
		in.holder = t
		in.mu.Unlock()
		t.hold()
		return
	}
	w := t.join(true)
	in.mu.Unlock()
	<-w.wake
	in.w().waiters.put(w)
	t.hold()
}

// end is the end of the work: it gives up the turn if it is held, and ends the
// context, so that what was derived from it lets go. It may be called again.
func (t *turn) end() {
	if t.in == nil {
		return
	}
	if !t.unhold() {
		t.over()
		return
	}
	t.seal()
	if t.in.pass() {
		// Who was handed the turn must run for anybody to get on, and this goroutine
		// has an answer to write, which takes longer than most turns.
		goruntime.Gosched()
	}
	t.over()
}

// over ends the context.
func (t *turn) over() {
	if t.state.Swap(overTurn) == overTurn {
		return
	}
	if m := t.merged.Load(); m != nil {
		t.in.mu.Lock()
		t.in.unlist(m)
		t.in.mu.Unlock()
		m.cancel(errFinished)
	}
}

// notHeld is a fault of the author's: a context was used to wait although its
// turn isn't held, most often since it isn't the innermost one. It panics in
// tests, so that it is found there; elsewhere the wait is as good without.
func (t *turn) notHeld() {
	const message = "a turn was given up that isn't held: use the context that the innermost function was given, in its own goroutine"
	if testing.Testing() {
		panic("pinned: " + message)
	}
	t.in.Log().Error(message, "stack", stackText(debug.Stack()))
}

// current is the turn that code which has t as its context holds: t, or that of a
// fork of t. Nil: none.
//
// Where a fork of t holds the turn, t itself was given up for a wait, so code with
// the context of t can only be running in the fork.
func (t *turn) current() *turn {
	if t.held() {
		return t
	}
	if t.state.Load() == outsideTurn {
		return nil
	}
	t.in.mu.Lock()
	holder := t.in.holder
	t.in.mu.Unlock()
	for f := holder; f != nil; f = f.forkOf {
		if f.forkOf == t && holder.held() {
			return holder
		}
	}
	return nil
}

// GiveUp implements bind.Turn.
func (t *turn) GiveUp() bind.Turn {
	if t.state.Load() == outsideTurn {
		return nil
	}
	given := t.current()
	if given == nil {
		t.notHeld()
		return nil
	}
	given.release()
	return given
}

// Retake implements bind.Turn.
func (t *turn) Retake() { t.retake() }

// Yield implements bind.Turn.
func (t *turn) Yield(f func(context.Context) error) error {
	out := bind.Turn(t)
	if given := t.GiveUp(); given != nil {
		defer given.Retake()
		out = given
	}
	if err := out.Gate(t); err != nil {
		return err
	}
	return t.watched(f)
}

// watched runs f outside the turn. A panic in it aborts the instance and goes on.
func (t *turn) watched(f func(context.Context) error) error {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		t.in.panicked(value, debug.Stack())
		if value != nil {
			panic(value)
		}
	}()
	err := f(outside{t})
	returned = true
	return err
}

// Fork implements bind.Turn. A fork of what runs outside turns does so too.
func (t *turn) Fork(f func(context.Context)) <-chan struct{} {
	return t.fork(f, t.state.Load() == outsideTurn)
}

func (t *turn) fork(f func(context.Context), outside bool) <-chan struct{} {
	ended := make(chan struct{})
	fork := newTurn(t, t.in)
	if outside {
		fork.state.Store(outsideTurn)
	} else {
		fork.forkOf = t
	}
	fork.notes.Store(t.notes.Load() & ungated)
	fork.raise(t.said())
	t.in.start(fork, f, ended)
	return ended
}

// Panicked implements bind.Turn.
func (t *turn) Panicked(value any, stack []byte) { t.in.panicked(value, stack) }

// Outside implements bind.Turn.
func (t *turn) Outside() context.Context { return outside{t} }

// outside is a turn's context without the turn: what waits in there gives up
// nothing.
type outside struct{ *turn }

// Value implements context.Context.
func (o outside) Value(key any) any {
	if _, ok := key.(bind.TurnKey); ok {
		return o
	}
	return o.turn.Value(key)
}

// GiveUp implements bind.Turn: there is nothing to give up.
func (o outside) GiveUp() bind.Turn { return nil }

// Yield implements bind.Turn.
func (o outside) Yield(f func(context.Context) error) error {
	if err := o.Gate(o); err != nil {
		return err
	}
	return o.watched(f)
}

// Fork implements bind.Turn.
func (o outside) Fork(f func(context.Context)) <-chan struct{} { return o.fork(f, true) }

// Outside implements bind.Turn.
func (o outside) Outside() context.Context { return o }

// seated calls f(a). It carries t in its frame, by which the watch finds the
// goroutine that holds a turn among all stacks.
//
//go:noinline
func seated[A any](t *turn, f func(A), a A) {
	f(a)
	goruntime.KeepAlive(t)
}
