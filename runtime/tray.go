package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/document"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// singletonID is the tray id of a tray that has no key.
const singletonID = "~"

// trays are the trays of one field. They are for who holds the turn.
type trays struct {
	d     *durable
	name  string // of the field, and so of their rows
	class *trayClass
	open  map[string]*liveTray // by tray id; those that retire are in here until they have
	loads map[string]chan struct{}
	due   bool // something is to be done once the activation is over
}

// claims implements part.
func (ts *trays) claims(t durability.Tray) bool { return t.Namespace == ts.name }

// hydrate implements part. Rows that a field isn't always open for, and that are
// unmarked, are only read here because the field has one.
func (ts *trays) hydrate(e durability.Entry) error {
	switch {
	case ts.class.keyed && e.Tray.ID == "":
		return errors.New("the row of a keyed tray has no key")
	case !ts.class.keyed && e.Tray.ID != singletonID:
		return fmt.Errorf("the field has one tray, whose id is %q", singletonID)
	}
	l, err := ts.make(e.Tray.ID, &e)
	if err == nil && (l.stale || l.residue || l.m.Marked() || ts.class.Open) {
		ts.due = true
	}
	return err
}

// hydrated implements part. A field with one tray that is always open has it from the
// first activation on.
func (ts *trays) hydrated() error {
	if !ts.class.Open || ts.class.keyed || ts.open[singletonID] != nil {
		return nil
	}
	ts.due = true
	_, err := ts.make(singletonID, nil)
	return err
}

// started implements part: what is open writes what hydration has changed, and resumes
// its work.
func (ts *trays) started() {
	if !ts.due {
		return
	}
	in := ts.d.in
	in.start(backgroundTurn(context.Background(), in, 0), func(ctx context.Context) {
		t, _ := ctx.(*turn)
		for _, l := range ts.open {
			if l.m.Retired() == tray.Live {
				l.save(t)
				l.resume()
			}
		}
	}, nil)
}

// Open implements bind.Trays.
func (ts *trays) Open(ctx context.Context, key string, create bool) (any, error) {
	id := key
	if !ts.class.keyed {
		id = singletonID
	}
	t := ts.d.turn()
	l, err := ts.get(ctx, t, id, create)
	if l == nil || err != nil {
		return nil, err
	}
	return l.value, nil
}

// get is the open tray of an id. It reads the row where it isn't open; the turn of t is
// given up meanwhile. It is nil where there is none, and create is false.
func (ts *trays) get(ctx context.Context, t *turn, id string, create bool) (*liveTray, error) {
	for {
		if err := ts.d.refused(); err != nil {
			return nil, err
		}
		wait := ts.loads[id]
		if l := ts.open[id]; l != nil {
			if l.m.Retired() == tray.Live {
				return l, nil
			}
			wait = l.freed
		}
		if wait == nil {
			break
		}
		if err := waitOutside(ctx, t, wait); err != nil {
			return nil, err
		}
	}
	if !ts.class.keyed {
		if !create {
			return nil, nil
		}
		return ts.created(t, id, nil)
	}
	stored, err := ts.read(ctx, t, id)
	if err != nil || stored == nil && !create {
		return nil, err
	}
	if err := ts.d.refused(); err != nil {
		return nil, err
	}
	return ts.created(t, id, stored)
}

// created opens a tray in the turn t, and writes what that changed.
func (ts *trays) created(t *turn, id string, stored *durability.Entry) (*liveTray, error) {
	l, err := ts.make(id, stored)
	if err != nil {
		return nil, fmt.Errorf("row %s: %w", durability.Tray{Namespace: ts.name, ID: id}, err)
	}
	l.save(t)
	l.resume()
	return l, nil
}

// read reads the row of an id, which nobody else reads meanwhile.
func (ts *trays) read(ctx context.Context, t *turn, id string) (*durability.Entry, error) {
	loaded := make(chan struct{})
	if ts.loads == nil {
		ts.loads = map[string]chan struct{}{}
	}
	ts.loads[id] = loaded
	t.release()
	key, epoch := ts.d.key(), ts.d.frontier.Epoch()
	name := durability.Tray{Namespace: ts.name, ID: id}
	row, ok, err := ts.d.in.w().store.Get(ctx, key, epoch, name)
	t.retake()
	delete(ts.loads, id)
	close(loaded)
	switch {
	case err != nil:
		if _, lost := errors.AsType[*durability.FenceLost](err); lost {
			ts.d.frontier.Fail(err)
		}
		return nil, fmt.Errorf("read row %s: %w", name, err)
	case !ok:
		return nil, nil
	}
	return &durability.Entry{Tray: name, Row: row}, nil
}

// waitOutside waits for c without the turn of t.
func waitOutside(ctx context.Context, t *turn, c <-chan struct{}) error {
	t.release()
	defer t.retake()
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// key is the instance's.
func (d *durable) key() durability.Key {
	return durability.Key{Namespace: d.in.shard.kind.namespace, ID: d.in.ID()}
}

// make makes the live tray of a row, or of none.
func (ts *trays) make(id string, e *durability.Entry) (*liveTray, error) {
	l := &liveTray{ts: ts, freed: make(chan struct{}), poked: make(chan struct{}, 1)}
	l.row = row{d: ts.d, tray: durability.Tray{Namespace: ts.name, ID: id}, doc: &document.Row{}}
	if e == nil {
		l.doc.SetVersion(ts.class.Version)
		l.stale = true
	} else if err := l.decode(e); err != nil {
		return nil, err
	}
	if _, err := l.doc.Version(); err != nil { // and it is claimed
		return nil, err
	}
	l.value = ts.class.fresh()
	b := &Binder{row: l, gates: ts.d, d: ts.d, of: l, inTray: true}
	ts.class.bind(l.value, b)
	if err := errors.Join(b.errs...); err != nil {
		return nil, err
	}
	residue := false
	for _, q := range l.queues {
		residue = q.Residue() || residue
	}
	m, err := tray.Open(ts.class.config(), l.marked, residue, func(name string) []byte {
		raw, _ := l.doc.Claim(name)
		return raw
	})
	if err != nil {
		return nil, err
	}
	l.m = m
	l.residue = residue
	ts.class.adopt(l.value, l)
	ts.open[id] = l
	return l, nil
}

// decode reads a stored row. One of another version is migrated, or activates blank,
// its mark dropped: the work that it claims is in a form that nobody knows.
func (l *liveTray) decode(e *durability.Entry) (err error) {
	if l.doc, err = document.Decode(e.Doc); err != nil {
		return err
	}
	l.marked = e.Marked
	version, err := l.doc.Version()
	class := l.ts.class
	if err != nil || version == class.Version {
		return err
	}
	migrated, err := class.migrated(version, e.Doc)
	switch {
	case err != nil:
		return err
	case migrated != nil:
		if l.doc, err = document.Decode(migrated); err != nil {
			return err
		}
		l.doc.SetVersion(class.Version)
		l.stale = true
	default:
		l.d.in.Log().Warn("a tray's row has another version, and activates blank",
			"row", clip(l.tray.String()), "version", version, "expected", class.Version)
		l.doc = &document.Row{}
		l.doc.SetVersion(class.Version)
		l.stale, l.marked = e.Marked, false // its row is rewritten at the first write, a mark at once
	}
	return nil
}

// migrated is a document of a version brought to that of the class, or nil where a step
// is missing.
func (c *trayClass) migrated(version int, doc json.RawMessage) (json.RawMessage, error) {
	if version > c.Version {
		return nil, nil
	}
	for v := version; v < c.Version; v++ {
		if c.migrate[v] == nil {
			return nil, nil
		}
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(doc, &entries); err != nil {
		return nil, err
	}
	for v := version; v < c.Version; v++ {
		var err error
		if entries, err = c.migrate[v](entries); err != nil {
			return nil, fmt.Errorf("migrate from version %d: %w", v, err)
		}
	}
	return json.Marshal(entries)
}
