package runtime

import (
	"context"
	"errors"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/document"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// liveTray is an open tray.
type liveTray struct {
	row

	ts      *trays
	m       *tray.Machine
	value   any // the *T
	queues  []bind.QueueField
	stale   bool // the row isn't as the store has it
	residue bool // a queue must be rewritten
	freed   chan struct{}
	poked   chan struct{}
	pump    *pump // the one that runs
}

// save writes the row, where the machine or the opening has changed it.
func (l *liveTray) save(t *turn) {
	changed := l.m.Changes(func(name string, raw []byte) {
		if raw == nil {
			l.doc.Set(name, nil)
		} else {
			l.doc.Set(name, document.Raw(raw))
		}
	})
	l.marked = l.m.Marked()
	if l.residue {
		l.residue = false
		for _, q := range l.queues {
			q.Rewrite()
		}
	}
	if changed || l.stale {
		l.stale = false
		l.enlist(t)
	}
}

// windingDown reports whether the worker drains.
func (l *liveTray) windingDown() bool { return l.d.in.w().drain.Err() != nil }

// resume starts the work of a tray that was opened.
func (l *liveTray) resume() {
	if (l.m.Marked() || l.ts.class.Open) && l.m.Start(l.windingDown()) {
		l.run()
	}
}

// poke tells a pump that waits that something has changed.
func (l *liveTray) poke() {
	select {
	case l.poked <- struct{}{}:
	default:
	}
}

// Write implements bind.Row. A retired tray takes no writes: its row is gone, or
// somebody else's.
func (l *liveTray) Write(name string, e bind.Entry) (int64, error) {
	if mode := l.m.Retired(); mode != tray.Live {
		return 0, l.Refuse(name, &tray.ModeError{Mode: mode, Operation: "a write"})
	}
	return l.row.Write(name, e)
}

// Admission implements bind.TrayRow.
func (l *liveTray) Admission() *tray.Admission { return l.m.Admission() }

// Queued implements bind.TrayRow.
func (l *liveTray) Queued() error { return l.Kick() }

// Dispatching implements bind.TrayRow.
func (l *liveTray) Dispatching() bool { return l.m.Active() }

// Key implements bind.Tray.
func (l *liveTray) Key() string {
	if !l.ts.class.keyed {
		return ""
	}
	return l.tray.ID
}

// Kick implements bind.Tray.
func (l *liveTray) Kick() error {
	t := l.d.turn()
	if err := l.d.refused(); err != nil {
		return err
	}
	start, err := l.m.Kick(l.windingDown())
	if err != nil {
		return err
	}
	l.save(t)
	if start {
		l.run()
	}
	return nil
}

// Delete implements bind.Tray. From within the tray's own delivery it doesn't wait, since
// the deletion waits for that.
func (l *liveTray) Delete(ctx context.Context) error {
	t := l.d.turn()
	if err := l.d.refused(); err != nil {
		return err
	}
	start, err := l.m.DeleteSoon(l.windingDown())
	if err != nil {
		return err
	}
	l.save(t)
	if start {
		l.run()
	}
	l.poke()
	if l.pump != nil && l.pump.t == t {
		return nil
	}
	if err := waitOutside(ctx, t, l.freed); err != nil {
		return err
	}
	return l.d.refused() // where the store has failed, nobody knows
}

// Parked implements bind.Tray.
func (l *liveTray) Parked() bool {
	l.d.turn()
	return l.m.Parked()
}

// Unpark implements bind.Tray.
func (l *liveTray) Unpark() (bind.Written, bool) {
	t := l.d.turn()
	if err := l.d.refused(); err != nil {
		return bind.Written{Err: err}, true
	}
	unparked, start := l.m.Unpark(l.windingDown())
	if !unparked {
		return bind.Written{}, false
	}
	l.save(t)
	if start {
		l.run()
	}
	return l.written(), true
}

// Run implements bind.Tray.
func (l *liveTray) Run() int64 {
	l.d.turn()
	return l.m.Epoch()
}

// Cancel implements bind.Tray.
func (l *liveTray) Cancel() bool {
	l.d.turn()
	if !l.m.Cancel() {
		return false
	}
	if l.pump != nil && l.m.Cancelled() { // between two attempts the pump itself goes on
		l.pump.cancel(errCancelled)
	}
	l.poke()
	return true
}

var errCancelled = errors.New("the dispatch was cancelled")

// Admit implements bind.Tray.
func (l *liveTray) Admit(f func()) bind.Written {
	l.d.turn()
	if err := l.d.refused(); err != nil {
		return bind.Written{Err: err}
	}
	if mode := l.m.Retired(); mode != tray.Live {
		return bind.Written{Err: l.Refuse("", &tray.ModeError{Mode: mode, Operation: "an admission"})}
	}
	f()
	return l.written()
}

// written is the receipt of what was just enlisted.
func (l *liveTray) written() bind.Written {
	return bind.Written{Row: &l.row, Pos: l.d.frontier.Position()}
}
