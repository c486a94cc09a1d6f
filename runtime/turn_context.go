package runtime

import (
	"context"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
)

// merged ends with the parent and with the instance, which has those that it must
// end in a list.
type merged struct {
	context.Context

	cancel     context.CancelCauseFunc
	next, prev *merged
	listed     bool
}

// stream makes the context end when the worker begins to drain, since a stream or
// a socket may go on for ever.
func (t *turn) stream() {
	m := t.merge()
	stop := context.AfterFunc(t.in.w().drain, func() { m.cancel(errDraining) })
	context.AfterFunc(m, func() { stop() })
}

// Deadline implements context.Context.
func (t *turn) Deadline() (time.Time, bool) { return t.parent.Deadline() }

// Done implements context.Context.
func (t *turn) Done() <-chan struct{} { return t.merge().Done() }

// Err implements context.Context.
func (t *turn) Err() error {
	if m := t.merged.Load(); m != nil {
		return m.Err()
	}
	if t.orphaned() || t.state.Load() == overTurn {
		return t.merge().Err() // which has the cause
	}
	return t.parent.Err()
}

// Value implements context.Context.
func (t *turn) Value(key any) any {
	if _, ok := key.(bind.TurnKey); ok {
		return t
	}
	if m := t.merged.Load(); m != nil {
		return m.Value(key)
	}
	return t.parent.Value(key)
}

// merge is the context that ends with the parent and the instance, made when it
// is asked for.
func (t *turn) merge() *merged {
	if m := t.merged.Load(); m != nil {
		return m
	}
	ctx, cancel := context.WithCancelCause(t.parent)
	m := &merged{Context: ctx, cancel: cancel}
	in := t.in
	in.mu.Lock()
	if !t.merged.CompareAndSwap(nil, m) {
		in.mu.Unlock()
		cancel(nil)
		return t.merged.Load()
	}
	var cause error
	switch {
	case t.orphaned():
		cause = in.ended.Load().err
	case t.state.Load() == overTurn:
		cause = errFinished
	default:
		in.list(m)
	}
	in.mu.Unlock()
	if cause != nil {
		cancel(cause)
	}
	return m
}

// list notes a context that ends with the instance, which must be locked.
func (in *instance) list(m *merged) {
	m.listed, m.next = true, in.open
	if in.open != nil {
		in.open.prev = m
	}
	in.open = m
}

// unlist forgets it again.
func (in *instance) unlist(m *merged) {
	switch {
	case !m.listed:
		return
	case m.prev == nil:
		in.open = m.next
	default:
		m.prev.next = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	}
	m.listed, m.next, m.prev = false, nil, nil
}
