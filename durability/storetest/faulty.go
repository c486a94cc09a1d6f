package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pinned-go/pinned/durability"
)

// Fault is what happens to an operation of a Faulty.
type Fault int

const (
	// None lets the operation be.
	None Fault = iota
	// Refused fails it before it changes anything.
	Refused
	// CommittedUnknown carries it out and then fails it with a
	// *durability.UnknownError. A read fails as if refused.
	CommittedUnknown
	// LostUnknown fails it likewise, without carrying it out.
	LostUnknown
	// Locked fails it with durability.ErrLocked, before it changes anything. A read fails as
	// if refused.
	Locked
)

func (f Fault) String() string {
	return [...]string{"no fault", "refused", "committed, but unknown", "lost, but unknown", "locked"}[f]
}

// Store is what all stores of this module are.
type Store interface {
	durability.MultiBatcher
	durability.Sweepable
	durability.Exclusive
}

// Faulty is a store whose operations fail as Choose says.
type Faulty struct {
	Store

	// Choose says what happens to an operation: "get", "list", "put", "delete", "apply",
	// "adopt", "marked rows", "due alarms", "stored epoch" or "hold". It is asked once for
	// each instance of an ApplyAll, with "apply". The key is the zero one where it concerns
	// no single instance. It may be called by several goroutines at once.
	Choose func(op string, key durability.Key) Fault
}

var errRefused = errors.New("refused by a fault")

// reads asks for the fault of an operation that changes nothing.
func (f *Faulty) reads(op string, key durability.Key) error {
	if f.Choose(op, key) != None {
		return fmt.Errorf("%s: %s: %w", key, op, errRefused)
	}
	return nil
}

// writes carries out an operation on an instance.
func (f *Faulty) writes(op string, key durability.Key, do func() error) error {
	unknown := &durability.UnknownError{Key: key, Op: op, Err: errors.New("the connection broke by a fault")}
	switch f.Choose(op, key) {
	case None:
		return do()
	case CommittedUnknown:
		if err := do(); err != nil {
			return err
		}
		return unknown
	case LostUnknown:
		return unknown
	case Locked:
		return fmt.Errorf("%s: %s: %w", key, op, durability.ErrLocked)
	case Refused:
	}
	return fmt.Errorf("%s: %s: %w", key, op, errRefused)
}

// Put implements durability.StateStore.
func (f *Faulty) Put(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray, row durability.Row) error {
	return f.writes("put", key, func() error { return f.Store.Put(ctx, key, epoch, tray, row) })
}

// Delete implements durability.StateStore.
func (f *Faulty) Delete(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray) error {
	return f.writes("delete", key, func() error { return f.Store.Delete(ctx, key, epoch, tray) })
}

// Adopt implements durability.StateStore.
func (f *Faulty) Adopt(ctx context.Context, key durability.Key, from, to int64) error {
	return f.writes("adopt", key, func() error { return f.Store.Adopt(ctx, key, from, to) })
}

// Apply implements durability.Batcher.
func (f *Faulty) Apply(ctx context.Context, key durability.Key, epoch int64, ops []durability.Op) error {
	return f.writes("apply", key, func() error { return f.Store.Apply(ctx, key, epoch, ops) })
}

// ApplyAll implements durability.MultiBatcher: what isn't left out goes to the store in one
// call.
func (f *Faulty) ApplyAll(ctx context.Context, batches []durability.Batch) []error {
	errs := make([]error, len(batches))
	var sent []durability.Batch
	var places []int
	unknown := map[int]error{}
	for i, b := range batches {
		errs[i] = f.writes("apply", b.Key, func() error {
			sent, places = append(sent, b), append(places, i)
			return nil
		})
		if len(places) > 0 && places[len(places)-1] == i {
			unknown[i] = errs[i] // nil, if there is no fault
		}
	}
	if len(sent) == 0 {
		return errs
	}
	for n, err := range f.Store.ApplyAll(ctx, sent) {
		i := places[n]
		if err == nil {
			err = unknown[i]
		}
		errs[i] = err
	}
	return errs
}

// Get implements durability.StateStore.
func (f *Faulty) Get(ctx context.Context, key durability.Key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
	if err := f.reads("get", key); err != nil {
		return durability.Row{}, false, err
	}
	return f.Store.Get(ctx, key, epoch, tray)
}

// List implements durability.StateStore.
func (f *Faulty) List(ctx context.Context, key durability.Key, epoch int64, filter durability.Filter) ([]durability.Entry, error) {
	if err := f.reads("list", key); err != nil {
		return nil, err
	}
	return f.Store.List(ctx, key, epoch, filter)
}

// MarkedRows implements durability.Sweepable.
func (f *Faulty) MarkedRows(ctx context.Context, after durability.Place, limit int) ([]durability.Marked, error) {
	if err := f.reads("marked rows", durability.Key{}); err != nil {
		return nil, err
	}
	return f.Store.MarkedRows(ctx, after, limit)
}

// DueAlarms implements durability.Sweepable.
func (f *Faulty) DueAlarms(ctx context.Context, until time.Time, after durability.Due, limit int) ([]durability.Due, error) {
	if err := f.reads("due alarms", durability.Key{}); err != nil {
		return nil, err
	}
	return f.Store.DueAlarms(ctx, until, after, limit)
}

// StoredEpoch implements durability.Sweepable.
func (f *Faulty) StoredEpoch(ctx context.Context, key durability.Key) (int64, error) {
	if err := f.reads("stored epoch", key); err != nil {
		return 0, err
	}
	return f.Store.StoredEpoch(ctx, key)
}

// Hold implements durability.Exclusive.
func (f *Faulty) Hold(ctx context.Context) (release func() error, warning string, err error) {
	if err := f.reads("hold", durability.Key{}); err != nil {
		return nil, "", err
	}
	return f.Store.Hold(ctx)
}

// Close closes the store, if it can be closed.
func (f *Faulty) Close() error { return closeStore(f.Store) }

// Single is a store without batches: whatever the one in it can do, rows go to it singly.
type Single struct{ durability.StateStore }

// Close closes the store, if it can be closed.
func (s Single) Close() error { return closeStore(s.StateStore) }

func closeStore(s durability.StateStore) error {
	if c, ok := s.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}
