package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/document"
)

// runsTray is the row of the starts of runs, which is marked without a tray type.
var runsTray = durability.Tray{Namespace: "pinned", ID: "runs"}

// hydrate reads the rows of an instance whose kind keeps some, in one call. Its
// context ends with the instance too.
func (in *instance) hydrate(ctx context.Context) error {
	t := newTurn(ctx, in)
	defer t.end()
	k := in.shard.kind
	w := k.w
	key := durability.Key{Namespace: k.namespace, ID: in.ID()}
	epoch := in.epoch.Load()
	if w.takeover {
		var err error
		if epoch, err = w.store.(durability.Sweepable).StoredEpoch(t, key); err != nil { //nolint:errcheck,forcetypeassert // Start has looked
			return unread("read the stored epoch", err)
		}
		in.epoch.Store(epoch)
	}
	rows, err := w.store.List(t, key, epoch, durability.Filter{Namespaces: k.keeps.namespaces, OrMarked: true})
	if err != nil {
		if lost, ok := errors.AsType[*durability.FenceLost](err); ok && w.member == nil && !w.takeover && lost.Stored > 0 {
			return fmt.Errorf("read the rows: %w: a fleet has written them, and local mode would fence it off; "+
				"runtime.WithTakeover takes such rows over at their stored epochs", err)
		}
		return unread("read the rows", err)
	}
	d := &durable{in: in, rows: rows}
	d.frontier = w.flusher.Frontier(key, epoch, d.fell)
	d.object = &row{d: d, tray: objectTray, doc: &document.Row{}}
	if k.alarms != nil {
		d.alarms = &alarms{d: d}
		d.parts = append(d.parts, d.alarms)
	}
	in.durable = d
	for _, r := range rows {
		if r.Tray != objectTray {
			continue
		}
		if d.object.doc, err = document.Decode(r.Doc); err != nil {
			return fmt.Errorf("row %s: %w", r.Tray, err)
		}
	}
	return nil
}

// unread is why rows weren't read. Where the store may do better later, the request is
// refused rather than failed.
func unread(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	var lost *durability.FenceLost
	var rejected *durability.RejectedError
	if errors.As(err, &lost) || errors.As(err, &rejected) || errors.Is(err, context.Canceled) {
		return err
	}
	return &unreadError{err}
}

// unreadError is an activation that failed for a store which can't be reached: none of the
// author's code has run.
type unreadError struct{ error }

func (e *unreadError) Unwrap() error { return e.error }

// giveOut hands each stored row to its part. One that is marked, and of no part,
// holds work that nobody would do.
func (d *durable) giveOut() error {
	rows := d.rows
	d.rows = nil
	for _, r := range rows {
		if r.Tray == objectTray {
			continue
		}
		p := d.partOf(r.Tray)
		switch {
		case p != nil:
			if err := p.hydrate(r); err != nil {
				return fmt.Errorf("row %s: %w", r.Tray, err)
			}
		case r.Marked && r.Tray != runsTray:
			return fmt.Errorf("row %s: it is marked, and no field of the object is its tray", r.Tray)
		}
	}
	for _, p := range d.parts {
		if err := p.hydrated(); err != nil {
			return err
		}
	}
	return nil
}

func (d *durable) partOf(tray durability.Tray) part {
	for _, p := range d.parts {
		if p.claims(tray) {
			return p
		}
	}
	return nil
}

// start tells the parts that the activation is over.
func (d *durable) start() {
	for _, p := range d.parts {
		p.started()
	}
}
