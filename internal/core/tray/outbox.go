package tray

import (
	"encoding/json"
	"errors"
	"strconv"
)

// Outbox is one item in flight with the number of its attempts. The zero value
// has none.
type Outbox[V any] struct {
	item      Item[V]
	canonical string
	attempt   int
}

// ParseOutbox reads a stored entry; a nil one is an empty outbox.
func ParseOutbox[V any](entry []byte, decode func([]byte) (V, error)) (o Outbox[V], err error) {
	if entry == nil {
		return o, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(entry, &members); err != nil || len(members) != 2 || members["item"] == nil {
		return o, errOutbox
	}
	attempt, err := strconv.Atoi(string(members["attempt"]))
	if err != nil || attempt < 1 {
		return o, errOutbox
	}
	o.attempt, o.item.Raw = attempt, members["item"]
	if o.canonical, err = canon(o.item.Raw); err == nil {
		o.item.Value, err = decode(o.item.Raw)
	}
	if err != nil {
		return Outbox[V]{}, err
	}
	return o, nil
}

var errOutbox = errors.New("expected an object with item and attempt, which is at least 1")

// Dispatch puts an item in flight, and counts: the attempt is one more where it
// is the item that is in flight already, else 1.
func (o *Outbox[V]) Dispatch(raw []byte, v V) (attempt int, err error) {
	canonical, err := canon(raw)
	if err != nil {
		return 0, err
	}
	if o.attempt == 0 || canonical != o.canonical {
		o.attempt = 0
	}
	o.item, o.canonical = Item[V]{Raw: raw, Value: v}, canonical
	o.attempt++
	return o.attempt, nil
}

// Attempt is the number of the attempt in flight, 0 where there is none.
func (o *Outbox[V]) Attempt() int { return o.attempt }

// Item is the item in flight.
func (o *Outbox[V]) Item() (item Item[V], ok bool) { return o.item, o.attempt > 0 }

// Ack empties the outbox. It is false where nothing was in flight.
func (o *Outbox[V]) Ack() bool {
	flying := o.attempt > 0
	*o = Outbox[V]{}
	return flying
}

// Snapshot is the entry as it is now, or nil for an empty outbox, which has none.
func (o *Outbox[V]) Snapshot() *OutboxEntry {
	if o.attempt == 0 {
		return nil
	}
	return &OutboxEntry{o.item.Raw, o.attempt}
}

// OutboxEntry is the entry of an outbox at one moment.
type OutboxEntry struct {
	raw     []byte
	attempt int
}

// Append appends the entry's JSON.
func (e *OutboxEntry) Append(dst []byte) []byte {
	dst = append(append(dst, `{"item":`...), e.raw...)
	dst = strconv.AppendInt(append(dst, `,"attempt":`...), int64(e.attempt), 10)
	return append(dst, '}')
}

// Len is how long that is.
func (e *OutboxEntry) Len() int {
	return len(e.raw) + len(`{"item":,"attempt":}`) + len(strconv.Itoa(e.attempt))
}
