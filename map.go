package pinned

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pinned-go/pinned/internal/bind"
)

// Map is a durable map of an object from string keys, with a row for each key
// (durability contract, section 3): for what has many entries, such as a history. Its
// entries are loaded when they are asked for, so that an instance costs what it
// touches. It must not be copied, and is touched while the turn is held only.
//
// A key has 1 to 1,024 bytes of UTF-8, and no NUL. Without a host a map keeps its
// entries in memory.
type Map[T any] struct {
	_ noCopy

	rows bind.Rows
	made map[string]T // without a host
}

// Entry is an entry of a Map.
type Entry[T any] struct {
	Key   string
	Value T
}

// Range selects entries of a Map, in bytewise order of their keys.
type Range struct {
	Prefix string // what the keys begin with
	After  string // begin after this key
	Limit  int    // entries at most; 0: all
}

// Get returns the entry of a key. It is false where there is none. The turn in ctx may
// be given up meanwhile.
func (m *Map[T]) Get(ctx context.Context, key string) (v T, ok bool, err error) {
	if err := checkMapKey(key); err != nil {
		return v, false, err
	}
	if m.rows == nil {
		v, ok = m.made[key]
		return v, ok, nil
	}
	doc, ok, err := m.rows.Load(ctx, key)
	if !ok || err != nil {
		return v, false, err
	}
	v, err = entryValue[T](key, doc)
	return v, err == nil, err
}

// Put sets the entry of a key. The receipt has an error where the value doesn't encode,
// or is over 16 MiB.
func (m *Map[T]) Put(_ context.Context, key string, v T) Receipt {
	if err := checkMapKey(key); err != nil {
		return Receipt{err: err}
	}
	raw, err := encode(v)
	if err != nil {
		return Receipt{err: fmt.Errorf("entry %q of a map: %w", key, err)}
	}
	if m.rows == nil {
		if m.made == nil {
			m.made = map[string]T{}
		}
		m.made[key] = v
		return Receipt{}
	}
	return receipt(m.rows.Store(key, mapDoc(raw)))
}

// Delete removes the entry of a key, if it is there.
func (m *Map[T]) Delete(_ context.Context, key string) Receipt {
	if err := checkMapKey(key); err != nil {
		return Receipt{err: err}
	}
	if m.rows == nil {
		delete(m.made, key)
		return Receipt{}
	}
	return receipt(m.rows.Store(key, nil))
}

// page is how many entries are read at once.
const page = 256

// Scan reads the entries of a range, a page at a time, each when the one before has
// been taken. The turn in ctx is given up while one is read, so entries may change
// meanwhile: each is as it was when its page was read. An error ends it.
func (m *Map[T]) Scan(ctx context.Context, r Range) iter.Seq2[Entry[T], error] {
	return func(yield func(Entry[T], error) bool) {
		if m.rows == nil {
			m.scanMade(r, yield)
			return
		}
		for left, after := r.Limit, r.After; ; {
			n := page
			if r.Limit > 0 {
				n = min(n, left)
			}
			docs, err := m.rows.Scan(ctx, r.Prefix, after, n)
			for _, d := range docs {
				var v T
				if v, err = entryValue[T](d.Key, d.Doc); err != nil {
					break
				}
				if !yield(Entry[T]{d.Key, v}, nil) {
					return
				}
				after = d.Key
			}
			if err != nil {
				yield(Entry[T]{}, err)
				return
			}
			left -= len(docs)
			if len(docs) < n || r.Limit > 0 && left <= 0 {
				return
			}
		}
	}
}

func (m *Map[T]) scanMade(r Range, yield func(Entry[T], error) bool) {
	n := 0
	for _, key := range slices.Sorted(maps.Keys(m.made)) {
		if !strings.HasPrefix(key, r.Prefix) || key <= r.After {
			continue
		}
		if n++; r.Limit > 0 && n > r.Limit || !yield(Entry[T]{key, m.made[key]}, nil) {
			return
		}
	}
}

func (m *Map[T]) bindMap(rows bind.Rows) { m.rows = rows }

// mapDoc is the document of an entry with a value.
type mapDoc []byte

// Append appends the document.
func (d mapDoc) Append(dst []byte) []byte {
	return append(append(append(dst, `{"value":`...), d...), '}')
}

// Len is how long that is.
func (d mapDoc) Len() int { return len(d) + len(`{"value":}`) }

func entryValue[T any](key string, doc json.RawMessage) (v T, err error) {
	var stored struct {
		Value json.RawMessage `json:"value"`
	}
	if err = json.Unmarshal(doc, &stored); err == nil {
		if stored.Value == nil {
			err = errors.New(`expected "value"`)
		} else {
			err = decodeEntry(stored.Value, &v)
		}
	}
	if err != nil {
		return v, fmt.Errorf("entry %q of a map: %w", key, err)
	}
	return v, nil
}

func checkMapKey(key string) error {
	if !validKey(key) {
		return fmt.Errorf("the key %.40q of a map: it has 1 to 1,024 bytes of UTF-8, and no NUL", key)
	}
	return nil
}

// validKey reports whether a key can be the id of a row.
func validKey(key string) bool {
	return key != "" && len(key) <= 1024 && utf8.ValidString(key) && !strings.Contains(key, "\x00")
}

func init() {
	bind.BindMap = func(field any, rows bind.Rows) bool {
		m, ok := field.(interface{ bindMap(rows bind.Rows) })
		if ok {
			m.bindMap(rows)
		}
		return ok
	}
}
