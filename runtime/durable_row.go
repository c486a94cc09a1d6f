package runtime

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/document"
)

// The sizes of a document (durability contract, section 4).
const (
	largeDocument = 256 << 10 // from here on a row is written too often for its size
	maxDocument   = 16 << 20
)

// objectTray is the row of an object's own fields.
var objectTray = durability.Tray{Namespace: "pinned", ID: "object"}

// row is a row of a live instance. It is for who holds the turn.
type row struct {
	d      *durable
	tray   durability.Tray
	marked bool
	doc    *document.Row
	warned bool // of its size
}

// Stored implements bind.Row.
func (r *row) Stored(name string) (json.RawMessage, bool) { return r.doc.Claim(name) }

// Write implements bind.Row.
func (r *row) Write(name string, e bind.Entry) (int64, error) {
	t := r.d.turn()
	if err := r.d.refused(); err != nil {
		return 0, entryError(r.tray, name, err)
	}
	size := r.doc.With(name, e)
	if size > maxDocument {
		return 0, r.refuse(t, name, fmt.Errorf("the document would have %d bytes, and 16 MiB is the most: keep large collections in rows of their own", size))
	}
	r.doc.Set(name, e)
	if size > largeDocument && !r.warned {
		r.warned = true
		r.d.in.Log().Warn("a durable row is large, and is written whole at each change: keep collections in rows of their own",
			"row", clip(r.tray.String()), "entry", clip(name), "bytes", size)
	}
	return r.enlist(t), nil
}

// enlist writes the row as it is, in the turn t, which is held.
func (r *row) enlist(t *turn) int64 {
	return r.d.enlist(t, durability.Write{Tray: r.tray, Marked: r.marked, Doc: r.doc.Snapshot()})
}

// Refuse implements bind.Row.
func (r *row) Refuse(name string, err error) error { return r.refuse(r.d.turn(), name, err) }

// refuse makes t answer 500.
func (r *row) refuse(t *turn, name string, err error) error {
	err = entryError(r.tray, name, err)
	t.note(faulty)
	r.d.in.Log().Error("a durable write was refused", "error", clip(err.Error()))
	return err
}

// Seen implements bind.Row.
func (r *row) Seen(pos int64) { r.d.turn().raise(pos) }

// Wait implements bind.Row.
func (r *row) Wait(ctx context.Context, pos int64) error {
	if pos <= r.d.frontier.Durable() {
		return nil
	}
	if given := giveUp(ctx); given != nil {
		defer given.Retake()
	}
	return r.d.wait(ctx, pos)
}

// unloaded is the row of a value that only authorizes: it activates nothing, so
// that there is nothing to read.
type unloaded struct{}

const touchedUnloaded = "pinned: a durable field was touched by Authorize, which runs on a value whose durable fields aren't loaded"

func (unloaded) Stored(string) (json.RawMessage, bool)   { return nil, false }
func (unloaded) Write(string, bind.Entry) (int64, error) { panic(touchedUnloaded) }
func (unloaded) Refuse(string, error) error              { panic(touchedUnloaded) }
func (unloaded) Seen(int64)                              { panic(touchedUnloaded) }
func (unloaded) Wait(context.Context, int64) error       { panic(touchedUnloaded) }
func (unloaded) Origin() int64                           { return 0 }
func (unloaded) Raise(ctx context.Context, pos int64)    {}
