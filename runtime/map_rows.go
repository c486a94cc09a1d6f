package runtime

import (
	"cmp"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/bind"
)

// What a durable map keeps in memory at most, beside what isn't durable yet.
const (
	mostCached      = 1_024   // entries
	mostCachedBytes = 1 << 20 // of their documents
)

// mapRows are the rows of a durable map: those that were touched last, and those that
// aren't durable yet. They are for who holds the turn.
type mapRows struct {
	d     *durable
	name  string // of the field, and so of the rows
	byKey map[string]*list.Element
	used  list.List // of *mapRow, the one touched last in front
	bytes int
}

// mapRow is a row in memory.
type mapRow struct {
	key string
	doc json.RawMessage // nil: there is none
	pos int64           // of the last write; 0: it was read
}

// mapped binds a field that is a *pinned.Map, whose durable name is the namespace of its
// rows. It is false for any other field.
func (b *Binder) mapped(name string, field any) bool {
	if b.d == nil || b.of != nil {
		is := bind.BindMap(field, unloadedRows{})
		if is && b.inTray {
			b.errs = append(b.errs, fmt.Errorf("the map %s is in a tray: an object has maps", name))
		}
		return is
	}
	m := &mapRows{d: b.d, name: name, byKey: map[string]*list.Element{}}
	if !bind.BindMap(field, m) {
		return false
	}
	b.d.parts = append(b.d.parts, m)
	return true
}

// claims implements part: no activation reads the rows of a map, and none is marked.
func (m *mapRows) claims(t durability.Tray) bool { return t.Namespace == m.name }

// hydrate implements part.
func (m *mapRows) hydrate(durability.Entry) error {
	return errors.New("it is marked, and a row of a map never is")
}

// hydrated implements part.
func (m *mapRows) hydrated() error { return nil }

// started implements part.
func (m *mapRows) started() {}

// Load implements bind.Rows.
func (m *mapRows) Load(ctx context.Context, key string) (json.RawMessage, bool, error) {
	t := m.d.turn()
	if r := m.at(key); r != nil {
		t.raise(r.pos)
		return r.doc, r.doc != nil, nil
	}
	if err := m.d.refused(); err != nil {
		return nil, false, err
	}
	name := durability.Tray{Namespace: m.name, ID: key}
	t.release()
	stored, ok, err := m.d.in.w().store.Get(ctx, m.d.key(), m.d.frontier.Epoch(), name)
	t.retake()
	if err != nil {
		return nil, false, m.failed(fmt.Errorf("read row %s: %w", name, err))
	}
	if r := m.at(key); r != nil { // written meanwhile
		t.raise(r.pos)
		return r.doc, r.doc != nil, nil
	}
	r := &mapRow{key: key}
	if ok {
		r.doc = stored.Doc
	}
	m.keep(r)
	return r.doc, ok, nil
}

// failed ends the instance where a read has lost its fence.
func (m *mapRows) failed(err error) error {
	if _, lost := errors.AsType[*durability.FenceLost](err); lost {
		m.d.frontier.Fail(err)
	}
	return err
}

// mapDocument is the document of a row as it was written.
type mapDocument json.RawMessage

// AppendDoc implements durability.Document.
func (d mapDocument) AppendDoc(dst []byte) []byte { return append(dst, d...) }

// Store implements bind.Rows.
func (m *mapRows) Store(key string, doc bind.Entry) bind.Written {
	t := m.d.turn()
	name := durability.Tray{Namespace: m.name, ID: key}
	if err := m.d.refused(); err != nil {
		return bind.Written{Err: fmt.Errorf("row %s: %w", name, err)}
	}
	r := &mapRow{key: key}
	w := durability.Write{Tray: name}
	if doc != nil {
		if size := doc.Len(); size > maxDocument {
			err := fmt.Errorf("row %s: the document would have %d bytes, and 16 MiB is the most", name, size)
			t.note(faulty)
			m.d.in.Log().Error("a durable write was refused", "error", clip(err.Error()))
			return bind.Written{Err: err}
		}
		r.doc = doc.Append(make([]byte, 0, doc.Len()))
		w.Doc = mapDocument(r.doc)
	}
	r.pos = m.d.enlist(t, w)
	m.keep(r)
	return bind.Written{Row: m.d.object, Pos: r.pos}
}

// at is the row of a key in memory, or nil.
func (m *mapRows) at(key string) *mapRow {
	e := m.byKey[key]
	if e == nil {
		return nil
	}
	m.used.MoveToFront(e)
	r, _ := e.Value.(*mapRow)
	return r
}

// keep puts a row in memory, and lets go of those that were touched longest ago and are
// durable.
func (m *mapRows) keep(r *mapRow) {
	if e := m.byKey[r.key]; e != nil {
		m.drop(e)
	}
	m.byKey[r.key] = m.used.PushFront(r)
	m.bytes += len(r.doc)
	durable := m.d.frontier.Durable()
	for e := m.used.Back(); e != nil && (m.used.Len() > mostCached || m.bytes > mostCachedBytes); {
		before := e.Prev()
		if old, _ := e.Value.(*mapRow); old.pos <= durable && old != r {
			m.drop(e)
		} else if old.pos > durable {
			break // those in front of it are no older
		}
		e = before
	}
}

func (m *mapRows) drop(e *list.Element) {
	r, _ := m.used.Remove(e).(*mapRow)
	delete(m.byKey, r.key)
	m.bytes -= len(r.doc)
}

// Scan implements bind.Rows.
func (m *mapRows) Scan(ctx context.Context, prefix, after string, limit int) ([]bind.KeyedDoc, error) {
	t := m.d.turn()
	var all []bind.KeyedDoc
	for {
		if err := m.d.refused(); err != nil {
			return nil, err
		}
		durable := m.d.frontier.Durable() // what is written later is in memory, or in what is read
		key, epoch := m.d.key(), m.d.frontier.Epoch()
		filter := durability.Filter{Namespaces: []string{m.name}, Prefix: prefix, After: after, Limit: limit}
		t.release()
		stored, err := m.d.in.w().store.List(ctx, key, epoch, filter)
		t.retake()
		if err != nil {
			return nil, m.failed(fmt.Errorf("read the rows of %s: %w", m.name, err))
		}
		whole := len(stored) < limit
		until := ""
		if !whole {
			until = stored[len(stored)-1].Tray.ID
		}
		all = append(all, m.merge(t, stored, durable, prefix, after, until)...)
		if whole || len(all) >= limit {
			return all[:min(len(all), limit)], nil
		}
		after = until // what was read is mostly gone by now
	}
}

// merge is a page as the instance sees it: what was read, and over it what isn't known to
// have been durable before. until is the last key of the page, "" where there is no other.
func (m *mapRows) merge(t *turn, stored []durability.Entry, durable int64, prefix, after, until string) []bind.KeyedDoc {
	docs := make([]bind.KeyedDoc, 0, len(stored))
	for _, e := range stored {
		if el := m.byKey[e.Tray.ID]; el != nil {
			if r, _ := el.Value.(*mapRow); r.pos > durable {
				continue
			}
		}
		docs = append(docs, bind.KeyedDoc{Key: e.Tray.ID, Doc: e.Doc})
	}
	for key, el := range m.byKey {
		r, _ := el.Value.(*mapRow)
		if r.pos <= durable || !strings.HasPrefix(key, prefix) || key <= after || until != "" && key > until {
			continue
		}
		t.raise(r.pos)
		if r.doc != nil {
			docs = append(docs, bind.KeyedDoc{Key: key, Doc: r.doc})
		}
	}
	slices.SortFunc(docs, func(a, b bind.KeyedDoc) int { return cmp.Compare(a.Key, b.Key) })
	return docs
}

// unloadedRows are those of a value that only authorizes.
type unloadedRows struct{}

func (unloadedRows) Load(context.Context, string) (json.RawMessage, bool, error) {
	return nil, false, errUnloadedMap
}

func (unloadedRows) Store(string, bind.Entry) bind.Written { panic(touchedUnloaded) }

func (unloadedRows) Scan(context.Context, string, string, int) ([]bind.KeyedDoc, error) {
	return nil, errUnloadedMap
}

var errUnloadedMap = errors.New("a map isn't read by Authorize, which runs on a value whose durable fields aren't loaded")
