package tray

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pinned-go/pinned/internal/fault"
)

// Item is one item of a queue: as the row holds it, and decoded.
type Item[V any] struct {
	Raw   []byte // never changed
	Value V

	admit string // the key under which it was admitted, canonical; "" for none
}

// Queue is a durable queue: pending items, and in front of them those that the
// running dispatch has taken. The zero value is empty.
//
// Its backing arrays are only appended to, so that a snapshot shares them.
type Queue[V any] struct {
	items, taken []Item[V]
	gone         int // how many items are gone from the front of the array of items
	itemBytes    int // of the JSON of the pending items, with a comma each
	takenBytes   int // of those that are taken, likewise
}

// Errors of the operations of a queue.
var (
	ErrTakePending = errors.New("an item can't be inserted at the head while a take is pending")
	ErrAdmission   = errors.New("a keyed admission appends only")
	ErrReserved    = errors.New(`the member "~admit" is reserved for keyed admissions`)
	ErrNotObject   = errors.New("a keyed admission appends items that are JSON objects only")
)

// ParseQueue reads a stored entry; a nil one is an empty queue. What a dispatch
// had taken when its process died goes back in front of the rest: rewrite says
// that the entry must be written as the plain list.
func ParseQueue[V any](entry []byte, decode func([]byte) (V, error)) (q Queue[V], rewrite bool, err error) {
	if entry == nil {
		return q, false, nil
	}
	var plain []json.RawMessage
	if first(entry) == '[' {
		err = json.Unmarshal(entry, &plain)
	} else {
		var taken []json.RawMessage
		taken, plain, err = pendingTake(entry)
		rewrite = len(taken) > 0
		plain = append(taken, plain...)
	}
	if err != nil {
		return q, false, err
	}
	for n, raw := range plain {
		item := Item[V]{Raw: raw}
		if item.admit, err = admitKey(raw); err == nil {
			item.Value, err = decode(raw)
		}
		if err != nil {
			return Queue[V]{}, false, fmt.Errorf("item %d: %w", n, err)
		}
		q.add(item)
	}
	return q, rewrite, nil
}

// pendingTake reads the form of an entry while a take is pending.
func pendingTake(entry []byte) (taken, items []json.RawMessage, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(entry, &members); err != nil || members == nil {
		return nil, nil, errors.New("expected a list, or an object with taken and items")
	}
	for name, raw := range members {
		into := &items
		switch name {
		case "items":
		case "taken":
			into = &taken
		default:
			return nil, nil, fmt.Errorf("the member %q isn't one of a queue", name)
		}
		if first(raw) != '[' {
			return nil, nil, fmt.Errorf("the member %q isn't a list", name)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return nil, nil, err
		}
	}
	return taken, items, nil
}

func first(raw []byte) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

// admitKey is the canonical key in an item that a keyed admission appended.
func admitKey(raw []byte) (string, error) {
	if first(raw) != '{' || !bytes.Contains(raw, []byte(`~admit`)) {
		return "", nil
	}
	var tagged map[string]json.RawMessage
	if err := json.Unmarshal(raw, &tagged); err != nil {
		return "", err
	}
	key, ok := tagged["~admit"]
	if !ok {
		return "", nil
	}
	return canon(key)
}

// Len is how many items are pending.
func (q *Queue[V]) Len() int { return len(q.items) }

// Items are the pending items, which must not be changed.
func (q *Queue[V]) Items() []Item[V] { return q.items }

// Taken are the items that the running dispatch has taken, the oldest first.
func (q *Queue[V]) Taken() []Item[V] { return q.taken }

// Append puts an item at the tail. Under a keyed admission it is tagged with the
// key, and absorbed where it was appended under that key before; landed is false
// then.
func (q *Queue[V]) Append(raw []byte, v V, under *Admission) (landed bool, err error) {
	item := Item[V]{Raw: raw, Value: v}
	key, err := admitKey(raw)
	if err != nil {
		return false, err
	}
	if key != "" {
		return false, ErrReserved
	}
	if under != nil {
		if first(raw) != '{' {
			return false, ErrNotObject
		}
		under.attempted++
		if under.absorbs(q, q.admitted) {
			return false, nil
		}
		under.landed++
		item.admit = under.canonical
		item.Raw = tagged(raw, under.Key)
	}
	q.add(item)
	return true, nil
}

func (q *Queue[V]) add(item Item[V]) {
	q.items = append(q.items, item)
	q.itemBytes += size(item)
}

// size is that of an item with a comma.
func size[V any](items ...Item[V]) (n int) {
	for _, item := range items {
		n += len(item.Raw) + 1
	}
	return n
}

// tagged is an object with the member "~admit".
func tagged(raw []byte, key json.RawMessage) []byte {
	raw = bytes.TrimSpace(raw)
	out := make([]byte, 0, len(raw)+len(key)+len(`,"~admit":`))
	out = append(out, raw[:len(raw)-1]...)
	if body := bytes.TrimSpace(out); len(body) > 1 {
		out = append(out, ',')
	}
	out = append(out, `"~admit":`...)
	out = append(out, key...)
	return append(out, '}')
}

// admitted counts the items that were admitted under a key.
func (q *Queue[V]) admitted(canonical string) (n int) {
	for _, items := range [][]Item[V]{q.taken, q.items} {
		for _, item := range items {
			if item.admit == canonical {
				n++
			}
		}
	}
	return n
}

// Insert puts an item at the head.
func (q *Queue[V]) Insert(raw []byte, v V, under *Admission) error {
	switch key, err := admitKey(raw); {
	case err != nil:
		return err
	case key != "":
		return ErrReserved
	case under != nil:
		return ErrAdmission
	case len(q.taken) > 0 && len(q.items) > 0:
		return ErrTakePending
	}
	q.items, q.gone = append([]Item[V]{{Raw: raw, Value: v}}, q.items...), 0
	q.itemBytes += len(raw) + 1
	return nil
}

// Pop removes the head.
func (q *Queue[V]) Pop() (item Item[V], ok bool) {
	if len(q.items) == 0 {
		return item, false
	}
	item = q.items[0]
	q.drop(1)
	return item, true
}

// drop removes the first n pending items. What is left moves to an array of its
// own where most of the old one is gone, which holds on to its items.
func (q *Queue[V]) drop(n int) {
	q.itemBytes -= size(q.items[:n]...)
	q.items = q.items[n:]
	q.gone += n
	switch {
	case len(q.items) == 0:
		q.items, q.gone = nil, 0
	case q.gone > len(q.items) && q.gone >= 16:
		q.items, q.gone = slices.Clone(q.items), 0
	}
}

// Take moves the first n pending items into taken, where they stay until the
// dispatch is acknowledged. It takes fewer where there are fewer.
func (q *Queue[V]) Take(n int) []Item[V] {
	n = max(0, min(n, len(q.items)))
	took := q.items[:n:n]
	if !fault.Is(fault.TakeCommitted) {
		q.taken = append(slices.Clip(q.taken), took...)
		q.takenBytes += size(took...)
	}
	q.drop(n)
	return took
}

// Untake moves the newest n taken items back to the head. It is false, and moves
// nothing, where fewer are taken.
func (q *Queue[V]) Untake(n int) bool {
	if n < 0 || n > len(q.taken) {
		return false
	}
	keep := len(q.taken) - n
	moved := size(q.taken[keep:]...)
	q.itemBytes, q.takenBytes = q.itemBytes+moved, q.takenBytes-moved
	q.items, q.gone = slices.Concat(q.taken[keep:], q.items), 0
	q.taken = q.taken[:keep:keep]
	if keep == 0 {
		q.taken = nil
	}
	if len(q.items) == 0 {
		q.items = nil
	}
	return true
}

// Commit forgets what is taken: the dispatch was acknowledged. It reports whether
// that changed anything.
func (q *Queue[V]) Commit() bool {
	changed := len(q.taken) > 0
	q.taken, q.takenBytes = nil, 0
	return changed
}

// Snapshot is the entry as it is now, or nil for an empty queue, which has none.
func (q *Queue[V]) Snapshot() *QueueEntry[V] {
	if len(q.items) == 0 && len(q.taken) == 0 {
		return nil
	}
	return &QueueEntry[V]{
		items: slices.Clip(q.items), taken: q.taken, itemBytes: q.itemBytes, takenBytes: q.takenBytes,
	}
}

// QueueEntry is the entry of a queue at one moment.
type QueueEntry[V any] struct {
	items, taken          []Item[V]
	itemBytes, takenBytes int
}

// Append appends the entry's JSON.
func (e *QueueEntry[V]) Append(dst []byte) []byte {
	if len(e.taken) == 0 {
		return list(dst, e.items)
	}
	dst = list(append(dst, `{"taken":`...), e.taken)
	if len(e.items) > 0 {
		dst = list(append(dst, `,"items":`...), e.items)
	}
	return append(dst, '}')
}

// Len is how long that is.
func (e *QueueEntry[V]) Len() int {
	switch {
	case len(e.taken) == 0:
		return e.itemBytes + 1 // a comma less, and two brackets
	case len(e.items) == 0:
		return e.takenBytes + 1 + len(`{"taken":}`)
	}
	return e.takenBytes + 1 + e.itemBytes + 1 + len(`{"taken":,"items":}`)
}

func list[V any](dst []byte, items []Item[V]) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, item.Raw...)
	}
	return append(dst, ']')
}
