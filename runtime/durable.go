package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/bind"
)

// durable is what an instance of a kind that keeps something has beside its
// record: the log of its writes, and its rows.
type durable struct {
	in       *instance
	frontier *durability.Frontier
	object   *row // of the object's own fields
	parts    []part
	alarms   *alarms            // nil: the type has none
	rows     []durability.Entry // as they were stored; nil once they are given out

	open   bool         // the segment has a write. For who holds the turn
	sealed atomic.Int64 // the position of the last write of a sealed segment
}

// part is what an instance keeps in rows beside those of its own fields.
type part interface {
	// claims reports whether a row is the part's.
	claims(tray durability.Tray) bool
	// hydrate takes a row that the part claims. They come in the order of the
	// store, before the setups run. Its error names the entry that is wrong.
	hydrate(row durability.Entry) error
	// hydrated comes once all rows are given out, still before the setups run.
	hydrated() error
	// started is the end of the activation: background work may begin.
	started()
}

// touched is the panic of code that has no turn.
const touched = "pinned: a durable field was touched while no turn is held: " +
	"a concurrent route, and what Await runs, enters one with Turn; setup runs before there is any"

// turn is who holds the instance's turn: the code that touches a field. It panics
// where nobody does.
func (d *durable) turn() *turn {
	d.in.mu.Lock()
	t := d.in.holder
	d.in.mu.Unlock()
	if t == nil {
		panic(touched)
	}
	return t
}

// enlist adds a write to the segment of the turn that is held, which must be t.
func (d *durable) enlist(t *turn, w durability.Write) int64 {
	pos := d.frontier.Enlist(w)
	d.open = true
	t.raise(pos)
	return pos
}

// refused is why nothing may be written any more, or nil.
func (d *durable) refused() error {
	if e := d.in.ended.Load(); e != nil {
		return e.err
	}
	return nil
}

// seal ends the segment of t, which still has the turn. What was written before an
// abort is dropped, since what the turn wrote after it was refused: half of a
// segment must not become durable.
func (d *durable) seal(t *turn) {
	if !d.open {
		return
	}
	if d.in.abortCause() != nil {
		d.discard(t)
		return
	}
	d.open = false
	d.sealed.Store(d.frontier.Position())
	d.frontier.Seal()
}

// discard drops the segment of t, which has the turn.
func (d *durable) discard(t *turn) {
	if !d.open {
		return
	}
	d.open = false
	d.frontier.Discard()
	t.gate.Store(min(t.gate.Load(), d.sealed.Load())) // nobody may wait for what was dropped
}

// wait waits until everything up to a position is durable.
func (d *durable) wait(ctx context.Context, pos int64) error {
	if pos <= d.frontier.Durable() {
		return nil
	}
	if pos > d.sealed.Load() {
		// Its segment may yet be dropped, with the end of the instance.
		t := newTurn(ctx, d.in)
		defer t.end()
		ctx = t
	}
	err := d.frontier.Wait(ctx, pos)
	if err != nil && d.frontier.Err() != nil {
		d.fell(err) // nobody may be answered before the instance knows
	}
	return err
}

// drain waits until what is sealed is durable, or never will be.
func (d *durable) drain(ctx context.Context) {
	if err := d.wait(ctx, d.sealed.Load()); err != nil && d.frontier.Err() == nil {
		d.in.Log().Error("the instance ended before its last writes were known to be durable", "error", clip(err.Error()))
	}
}

// pending reports whether drain would wait.
func (d *durable) pending() bool { return d.sealed.Load() > d.frontier.Durable() }

// fell ends the instance because its log is poisoned: its memory is ahead of what
// the store holds.
func (d *durable) fell(err error) {
	message := "instance aborted: its writes failed"
	if _, ok := errors.AsType[*durability.FenceLost](err); ok {
		message = "instance aborted: it has another owner"
	}
	d.in.abort(&ending{err: &abortedError{err}}, message)
}

// Origin implements bind.Gates.
func (d *durable) Origin() int64 {
	d.in.mu.Lock()
	t := d.in.holder
	d.in.mu.Unlock()
	if t == nil {
		return d.sealed.Load()
	}
	return t.gate.Load()
}

// Raise implements bind.Gates.
func (d *durable) Raise(ctx context.Context, pos int64) {
	if t := d.in.turnIn(ctx); t != nil {
		if current := t.current(); current != nil {
			t = current
		}
		t.raise(pos)
	}
}

// turnIn is the instance's turn that ctx belongs to, held or not; nil: none.
func (in *instance) turnIn(ctx context.Context) *turn {
	var t *turn
	switch own := bind.TurnIn(ctx).(type) {
	case *turn:
		t = own
	case outside:
		t = own.turn
	}
	if t == nil || t.in != in {
		return nil
	}
	return t
}

// entryError names the row and the entry that an error is about.
func entryError(tray durability.Tray, name string, err error) error {
	return fmt.Errorf("row %s, entry %q: %w", tray, name, err)
}
