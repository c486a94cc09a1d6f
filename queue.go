package pinned

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// Queue is a durable queue of items of an object or a tray (durability contract,
// section 4). Its items travel as JSON, each encoded once, when it is appended.
// Without a host it keeps them in memory. It must not be copied, and is touched
// while the turn is held only.
//
// In a tray, an append marks the tray's row and starts its work. What a dispatch
// takes (Take, TakeNow) stays durable until the dispatch is acknowledged: after a
// crash or an error the items are at the head again.
type Queue[T any] struct {
	_ noCopy

	items   tray.Queue[T]
	row     bind.Row
	name    string
	pos     int64 // of the last write
	residue bool
	arrived chan struct{} // closed at the next item; nil while nobody waits
}

// Append puts items at the tail, all of them in one segment. Its receipt has an
// error where one doesn't encode, or the document would be over 16 MiB: nothing
// is appended then.
func (q *Queue[T]) Append(items ...T) Receipt {
	if len(items) == 0 {
		return Receipt{}
	}
	before := q.items
	if err := q.queued(); err != nil {
		return q.refuse(err)
	}
	for _, item := range items {
		raw, err := encode(item)
		if err == nil {
			_, err = q.items.Append(raw, item, q.admission())
		}
		if err != nil {
			q.items = before
			return q.refuse(err)
		}
	}
	return q.write(before)
}

// Insert puts an item at the head. While a dispatch has items taken and others are
// pending, it is refused.
func (q *Queue[T]) Insert(item T) Receipt {
	before := q.items
	err := q.queued()
	if err == nil {
		var raw []byte
		if raw, err = encode(item); err == nil {
			err = q.items.Insert(raw, item, q.admission())
		}
	}
	if err != nil {
		return q.refuse(err)
	}
	return q.write(before)
}

// Peek returns the head. It is false where the queue is empty.
func (q *Queue[T]) Peek() (head T, ok bool) {
	q.seen()
	if q.items.Len() == 0 {
		return head, false
	}
	return q.items.Items()[0].Value, true
}

// Pop removes the head, and returns it. It is false where the queue is empty.
func (q *Queue[T]) Pop() (head T, ok bool) {
	q.seen()
	before := q.items
	item, ok := q.items.Pop()
	if ok {
		q.write(before)
	}
	return item.Value, ok
}

// Len is how many items are pending.
func (q *Queue[T]) Len() int {
	q.seen()
	return q.items.Len()
}

// All is a snapshot of the pending items, the head first.
func (q *Queue[T]) All() []T {
	q.seen()
	all := make([]T, 0, q.items.Len())
	for _, item := range q.items.Items() {
		all = append(all, item.Value)
	}
	return all
}

// ErrNoDispatch is the error of a take while no dispatch of the queue's tray runs.
var ErrNoDispatch = errors.New("items are taken by a dispatch of the queue's tray only")

// Take waits for an item and takes it, for the running dispatch. The turn is given
// up while it waits. It fails when ctx ends, and where no dispatch of this tray
// runs.
func (q *Queue[T]) Take(ctx context.Context) (item T, err error) {
	for {
		if !q.dispatching() {
			return item, ErrNoDispatch
		}
		if took := q.TakeNow(1); len(took) > 0 {
			return took[0], nil
		}
		if q.arrived == nil {
			q.arrived = make(chan struct{})
		}
		if err := waitWithout(ctx, q.arrived); err != nil {
			return item, err
		}
	}
}

// waitWithout waits for c without the turn in ctx. It starts nothing outside, so it
// waits for no gate.
func waitWithout(ctx context.Context, c <-chan struct{}) error {
	if given := giveUp(ctx); given != nil {
		defer given.Retake()
	}
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TakeNow takes up to n items at the head, for the running dispatch; a negative n
// is all. Without a dispatch it takes none.
func (q *Queue[T]) TakeNow(n int) []T {
	q.seen()
	if !q.dispatching() {
		return nil
	}
	if n < 0 {
		n = q.items.Len()
	}
	before := q.items
	took := q.items.Take(n)
	if len(took) == 0 {
		return nil
	}
	if r := q.write(before); r.err != nil {
		return nil
	}
	values := make([]T, len(took))
	for i, item := range took {
		values[i] = item.Value
	}
	return values
}

// Untake puts the newest n taken items back at the head. The receipt has an error
// where fewer are taken.
func (q *Queue[T]) Untake(n int) Receipt {
	q.seen()
	before := q.items
	if !q.items.Untake(n) {
		return q.refuse(fmt.Errorf("untake %d: %d are taken", n, len(q.items.Taken())))
	}
	if n == 0 {
		return Receipt{}
	}
	return q.write(before)
}

// write enlists the entry. Where that is refused the queue is what it was.
func (q *Queue[T]) write(before tray.Queue[T]) Receipt {
	if q.row == nil {
		q.announce()
		return Receipt{}
	}
	var entry bind.Entry
	if e := q.items.Snapshot(); e != nil {
		entry = e
	}
	pos, err := q.row.Write(q.name, entry)
	if err != nil {
		q.items = before
		return Receipt{err: err}
	}
	q.pos = pos
	q.announce()
	return Receipt{row: q.row, pos: pos}
}

// announce wakes who waits for an item.
func (q *Queue[T]) announce() {
	if q.arrived != nil && q.items.Len() > 0 {
		close(q.arrived)
		q.arrived = nil
	}
}

func (q *Queue[T]) refuse(err error) Receipt {
	if q.row == nil {
		return Receipt{err: err}
	}
	return Receipt{err: q.row.Refuse(q.name, err)}
}

func (q *Queue[T]) seen() {
	if q.row != nil {
		q.row.Seen(q.pos)
	}
}

// inTray is the queue's row, where that is a tray's.
func (q *Queue[T]) inTray() bind.TrayRow {
	row, _ := q.row.(bind.TrayRow)
	return row
}

func (q *Queue[T]) queued() error {
	if row := q.inTray(); row != nil {
		return row.Queued()
	}
	return nil
}

func (q *Queue[T]) admission() *tray.Admission {
	if row := q.inTray(); row != nil {
		return row.Admission()
	}
	return nil
}

// dispatching reports whether takes are allowed. A queue without a host has them
// always, so that a handler can be tested by itself.
func (q *Queue[T]) dispatching() bool {
	if q.row == nil {
		return true
	}
	row := q.inTray()
	return row != nil && row.Dispatching()
}

// bindTo reads the stored entry.
func (q *Queue[T]) bindTo(row bind.Row, name string, _ json.RawMessage) error {
	q.row, q.name = row, name
	entry, _ := row.Stored(name)
	items, residue, err := tray.ParseQueue(entry, decode[T])
	if err != nil {
		return err
	}
	q.items, q.residue = items, residue
	return nil
}

// queueField is a Queue as its tray sees it.
type queueField[T any] struct{ *Queue[T] }

func (q *Queue[T]) queueField() bind.QueueField { return queueField[T]{q} }

func (f queueField[T]) Residue() bool { return f.residue }

func (f queueField[T]) Rewrite() { f.write(f.items) }

func (f queueField[T]) CommitTakes() {
	before := f.items
	if f.items.Commit() {
		f.write(before)
	}
}

func (f queueField[T]) ReturnTakes() bool {
	before := f.items
	n := len(f.items.Taken())
	if n == 0 {
		return false
	}
	f.items.Untake(n)
	f.write(before)
	return true
}

// encode is the JSON of a value, as durable fields keep it.
func encode[T any](v T) ([]byte, error) { return encodeEntry(&v) }

// decode is the value of an entry or an item.
func decode[T any](raw []byte) (v T, err error) {
	err = decodeEntry(raw, &v)
	return v, err
}

func init() {
	bind.QueueOf = func(field any) bind.QueueField {
		if q, ok := field.(interface{ queueField() bind.QueueField }); ok {
			return q.queueField()
		}
		return nil
	}
}
