package durability

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pinned-go/pinned/internal/core/frontier"
)

// Document is the document of a row at one moment. It never changes, and is rendered
// when it is flushed.
type Document interface {
	// AppendDoc appends the JSON object.
	AppendDoc(dst []byte) []byte
}

// Write is the write of a row, whole. Without a document it deletes the row.
type Write struct {
	Tray   Tray
	Marked bool
	Doc    Document
}

// Frontier is the ordered log of one instance's durable effects, and how far it is
// durable. Enlist, Seal and Discard are for one goroutine at a time, the one that
// holds the instance's turn; the rest is for any.
//
// A failed flush poisons it: what isn't durable never will be, and its instance must
// end.
type Frontier struct {
	fl       *Flusher
	key      Key
	settings string
	failed   func(error)
	durable  atomic.Int64

	mu     sync.Mutex
	log    frontier.Log[Tray, pending, chan struct{}]
	listed bool // in the lanes' hands: waiting, or in flight
	epoch  int64
	ops    []Op // of the batch in flight
}

// pending is what a write of the log becomes an operation of.
type pending struct {
	marked bool
	doc    Document
	op     Op // of another kind
}

// Frontier makes the log of an instance that writes at an epoch. failed is called
// once, by a goroutine of the flusher, when a flush has failed.
func (fl *Flusher) Frontier(key Key, epoch int64, failed func(error)) *Frontier {
	f := &Frontier{fl: fl, key: key, epoch: epoch, failed: failed}
	if fl.Settings != nil {
		f.settings = fl.Settings(key)
	}
	return f
}

// Epoch is that at which the instance writes.
func (f *Frontier) Epoch() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.epoch
}

// Enlist adds a write to the open segment, and returns its position, from 1.
func (f *Frontier) Enlist(w Write) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.Enlist(w.Tray, pending{marked: w.Marked, doc: w.Doc})
}

// EnlistOp adds an operation of another kind than those of rows.
func (f *Frontier) EnlistOp(op Op) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.EnlistAlone(pending{op: op})
}

// Seal ends the open segment, which is flushed as one unit from then on.
func (f *Frontier) Seal() {
	f.mu.Lock()
	sealed := f.log.Seal()
	list := sealed && f.list()
	f.mu.Unlock()
	if list {
		f.fl.ready(f, false)
	}
}

// list reports whether the instance is to be handed to the lanes, and takes it as
// handed. mu must be held.
func (f *Frontier) list() bool {
	if f.listed || !f.log.Ready() {
		return false
	}
	f.listed = true
	return true
}

// Discard drops the open segment.
func (f *Frontier) Discard() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.Discard()
}

// Position is that of the last write.
func (f *Frontier) Position() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.Position()
}

// Durable is up to which position everything is durable.
func (f *Frontier) Durable() int64 { return f.durable.Load() }

// Err is why the log is poisoned, or nil.
func (f *Frontier) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.Failed()
}

// Wait waits until everything up to a position is durable. Its segment must be sealed,
// or it waits for that as well. It fails when the log is poisoned before, and with the
// cause of ctx.
func (f *Frontier) Wait(ctx context.Context, position int64) error {
	if f.durable.Load() >= position {
		return nil
	}
	woken := make(chan struct{})
	f.mu.Lock()
	waits := f.log.Await(position, woken)
	err := f.log.Failed()
	f.mu.Unlock()
	if waits {
		select {
		case <-woken:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if f.durable.Load() >= position {
			return nil
		}
		err = f.Err()
	}
	if f.durable.Load() >= position {
		return nil
	}
	return err
}

// Barrier waits until everything sealed so far is durable.
func (f *Frontier) Barrier(ctx context.Context) error {
	f.mu.Lock()
	sealed := f.log.Sealed()
	f.mu.Unlock()
	return f.Wait(ctx, sealed)
}

// take begins a flight. A batch that is sent again is taken already. It is false where
// there is nothing to send any more.
func (f *Frontier) take() bool {
	f.mu.Lock()
	if f.log.Flying() {
		f.mu.Unlock()
		return true
	}
	writes := f.log.Take(f.fl.batch != nil)
	if len(writes) == 0 {
		f.listed = false
	}
	f.mu.Unlock()
	if len(writes) == 0 {
		return false
	}
	// Rendered outside the lock: the turn goes on.
	f.ops = make([]Op, len(writes))
	for i, w := range writes {
		f.ops[i] = f.op(w)
	}
	return true
}

func (f *Frontier) op(w frontier.Write[Tray, pending]) Op {
	switch {
	case w.Alone:
		return w.Data.op
	case w.Data.doc == nil:
		return Delete{Tray: w.Row}
	}
	return Put{Tray: w.Row, Row: Row{
		Marked: w.Data.marked, Doc: w.Data.doc.AppendDoc(nil), Env: f.fl.Env, Hostname: f.fl.Hostname,
	}}
}

// settle ends a flight.
func (f *Frontier) settle(err error) {
	if err != nil {
		err = fmt.Errorf("%s: flush: %w", f.key, err)
	}
	f.mu.Lock()
	f.ops = nil
	failedBefore := f.log.Failed() != nil
	woken := f.log.Settle(err)
	f.durable.Store(f.log.Durable())
	f.listed = false
	list := f.list()
	f.mu.Unlock()
	for _, w := range woken {
		close(w)
	}
	if err != nil && !failedBefore && f.failed != nil {
		f.failed(err)
	}
	if list {
		f.fl.ready(f, false)
	}
}

// Fail poisons the log from outside: a read has lost its fence. The instance is
// told as after a failed flush.
func (f *Frontier) Fail(err error) {
	f.mu.Lock()
	failedBefore := f.log.Failed() != nil
	woken := f.log.Fail(err)
	f.mu.Unlock()
	for _, w := range woken {
		close(w)
	}
	if !failedBefore && f.failed != nil {
		f.failed(err)
	}
}

// Adopt moves the instance to a higher epoch, once everything sealed is durable; the
// caller sees to it that nothing is sealed meanwhile. Where somebody else has owned the
// instance in between, it fails with a *FenceLost and poisons the log (durability
// contract, section 2).
func (f *Frontier) Adopt(ctx context.Context, to int64) error {
	from := f.Epoch()
	if to <= from {
		return nil
	}
	err := f.Barrier(ctx)
	if err == nil {
		err = f.fl.store.Adopt(ctx, f.key, from, to)
	}
	if err != nil {
		err = fmt.Errorf("%s: adopt epoch %d: %w", f.key, to, err)
		f.Fail(err)
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epoch = to
	return nil
}
