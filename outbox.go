package pinned

import (
	"encoding/json"
	"errors"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// Outbox is one durable item in flight, with the number of its attempts
// (durability contract, section 4): it is written before something is sent, and
// emptied when that was answered. It must not be copied, and is touched while the
// turn is held only.
type Outbox[T any] struct {
	_ noCopy

	out  tray.Outbox[T]
	row  bind.Row
	name string
	pos  int64
}

// Dispatch puts an item in flight, and counts: it returns 1 for an item that isn't
// in flight, and one more each time for the one that is. Items are the same where
// their JSON is. One that can't be written makes the turn answer 500, and leaves
// the outbox as it was; the attempt is 0 then.
func (o *Outbox[T]) Dispatch(item T) (attempt int) {
	before := o.out
	raw, err := encode(item)
	if err == nil {
		attempt, err = o.out.Dispatch(raw, item)
	}
	if err != nil {
		o.refuse(err)
		return 0
	}
	if o.write(before).err != nil {
		return 0
	}
	return attempt
}

// Attempt is the number of the attempt in flight, 0 where there is none.
func (o *Outbox[T]) Attempt() int {
	o.seen()
	return o.out.Attempt()
}

// Item is the item in flight. It is false where there is none.
func (o *Outbox[T]) Item() (item T, ok bool) {
	o.seen()
	flying, ok := o.out.Item()
	return flying.Value, ok
}

// Ack empties the outbox. The receipt has an error where nothing was in flight.
func (o *Outbox[T]) Ack() Receipt {
	o.seen()
	before := o.out
	if !o.out.Ack() {
		return o.refuse(errors.New("acknowledged, and nothing is in flight"))
	}
	return o.write(before)
}

func (o *Outbox[T]) write(before tray.Outbox[T]) Receipt {
	if o.row == nil {
		return Receipt{}
	}
	var entry bind.Entry
	if e := o.out.Snapshot(); e != nil {
		entry = e
	}
	pos, err := o.row.Write(o.name, entry)
	if err != nil {
		o.out = before
		return Receipt{err: err}
	}
	o.pos = pos
	return Receipt{row: o.row, pos: pos}
}

func (o *Outbox[T]) refuse(err error) Receipt {
	if o.row == nil {
		return Receipt{err: err}
	}
	return Receipt{err: o.row.Refuse(o.name, err)}
}

func (o *Outbox[T]) seen() {
	if o.row != nil {
		o.row.Seen(o.pos)
	}
}

// bindTo reads the stored entry.
func (o *Outbox[T]) bindTo(row bind.Row, name string, _ json.RawMessage) (err error) {
	o.row, o.name = row, name
	entry, _ := row.Stored(name)
	o.out, err = tray.ParseOutbox(entry, decode[T])
	return err
}
