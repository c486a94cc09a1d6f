package durability

import (
	"context"
	"encoding/json"
	"time"
)

// Key names an instance: the namespace and the id of an object.
type Key struct {
	Namespace string // begins with a slash, such as "/rooms"
	ID        string // wire contract, section 1
}

// Tray names a row of an instance.
type Tray struct {
	Namespace string // the durable name of the field that holds it, or "pinned"
	ID        string // "~" where there is but one, else the key
}

// Row is what an instance keeps in one tray.
type Row struct {
	// Marked is true while work is in flight: such a row must be alive again
	// after its process died.
	Marked bool
	// Doc is the whole payload, one JSON object in UTF-8. Stores keep neither
	// the order of its keys nor the spelling of its numbers: rows are compared
	// decoded.
	Doc json.RawMessage
	// Env and Hostname are the last writer's: where the instance may run. Each
	// is "*" for anywhere, and so is an empty one, which a store writes as "*".
	Env, Hostname string
}

// Entry is a row with its name.
type Entry struct {
	Tray Tray
	Row
}

// StateStore keeps the rows of instances (durability contract, section 2).
//
// Every operation has the epoch of the caller and acquires the instance
// atomically with what it does: where the stored epoch is higher, the operation
// fails with a *FenceLost and changes nothing; else it advances the stored epoch
// to the caller's, reads included, and runs. No stored epoch counts as 0, and an
// epoch below 0 is an error.
//
// What an error tells of a write:
//
//   - *FenceLost: it changed nothing, and no later one of that epoch will
//   - *RejectedError: it changed nothing, and never will as it is: a document
//     that the store can't hold, or an operation that it doesn't know
//   - *UnknownError: whether it took effect isn't known; it must not be sent
//     again blindly
//   - any other: it changed nothing. The end of ctx is among them, as ContextError,
//     and so is ErrClosed
//
// A store's methods may be called from any number of goroutines. Operations on
// one instance take effect in the order in which they are called, if each is
// called after the one before has returned. What is given to a store and what it
// returns is never shared: both may be changed afterwards.
type StateStore interface {
	// Put writes one row, whole.
	Put(ctx context.Context, key Key, epoch int64, tray Tray, row Row) error
	// Delete removes one row, if it is there.
	Delete(ctx context.Context, key Key, epoch int64, tray Tray) error
	// Get reads one row. It is false where there is none.
	Get(ctx context.Context, key Key, epoch int64, tray Tray) (Row, bool, error)
	// List reads the rows that the filter selects, ordered by the namespace and
	// then the id of their trays, bytewise.
	List(ctx context.Context, key Key, epoch int64, filter Filter) ([]Entry, error)
	// Adopt moves the stored epoch from one value to a higher one, and fails
	// with a *FenceLost where it is any other, which tells that somebody else has
	// owned the instance in between.
	Adopt(ctx context.Context, key Key, from, to int64) error
}

// Filter selects rows of one instance. The zero Filter selects all.
type Filter struct {
	// Namespaces, if not nil, selects the rows of these trays' namespaces.
	Namespaces []string
	// OrMarked selects every marked row as well, whatever its namespace. One
	// call with it hydrates an activation.
	OrMarked bool
	// Marked, if not nil, selects only rows that are marked, or only those that
	// aren't. It applies to what Namespaces and OrMarked have selected.
	Marked *bool
	// Prefix selects trays whose id begins with it, and After those whose id is
	// greater, bytewise; both apply to all selected rows.
	Prefix, After string
	// Limit is the most rows that are returned; 0 is no limit.
	Limit int
}

// Op is one operation of a batch: a Put, a Delete, or one of a kind that a store
// adds. A store rejects those that it doesn't know.
type Op interface {
	// Op is the name of the operation, such as "put", for errors.
	Op() string
}

// Put is the operation that writes one row, whole.
type Put struct {
	Tray Tray
	Row  Row
}

// Delete is the operation that removes one row, if it is there.
type Delete struct{ Tray Tray }

// Op is "put".
func (Put) Op() string { return "put" }

// Op is "delete".
func (Delete) Op() string { return "delete" }

// Batcher is a StateStore that applies several operations on one instance as
// one, in order: all of them take effect, or none. With a store that isn't one,
// rows go singly, in order.
type Batcher interface {
	StateStore

	Apply(ctx context.Context, key Key, epoch int64, ops []Op) error
}

// Batch is what one instance has to write.
type Batch struct {
	Key   Key
	Epoch int64
	Ops   []Op
	// Settings are the session settings with which a store's transaction must
	// run, where the store has such a hook; batches that share a statement have
	// equal ones.
	Settings string
}

// MultiBatcher is a Batcher whose statement carries the batches of several
// instances.
type MultiBatcher interface {
	Batcher

	// ApplyAll applies the batch of each instance as Apply would, in one
	// statement, and returns an error for each, at its index: one that lost its
	// fence fails alone. The keys differ from each other; their order is the
	// caller's. Where somebody else holds the lock of an instance it isn't waited
	// for: its error is ErrLocked, and its batch is for the caller to send alone.
	// A failure that a single batch may have caused is the error of each, as one
	// that changed nothing, for the caller to send them one by one.
	ApplyAll(ctx context.Context, batches []Batch) []error
}

// Sweepable is what a pinboard, and a worker in local mode, reads of a store to
// find the work that nobody is at. It is unfenced and changes nothing.
type Sweepable interface {
	// MarkedRows returns the marked rows after a place, in the order of Place,
	// limit at most; with a limit below 1, none.
	MarkedRows(ctx context.Context, after Place, limit int) ([]Marked, error)
	// DueAlarms returns the alarms of instances whose earliest is due at or
	// before a time (in whole milliseconds), the earliest first and then by Key,
	// limit at most. It begins after one that an earlier call returned; the zero
	// Due is the beginning. With the end of time it tells the next one.
	DueAlarms(ctx context.Context, until time.Time, after Due, limit int) ([]Due, error)
	// StoredEpoch is the stored epoch of an instance, 0 where there is none.
	StoredEpoch(ctx context.Context, key Key) (int64, error)
}

// Place is a row in the order of (namespace, id, tray namespace, tray id),
// bytewise. The zero Place comes before all.
type Place struct {
	Key  Key
	Tray Tray
}

// Marked is a marked row without its document.
type Marked struct {
	Place
	Env, Hostname string
}

// Due is when the earliest alarm of an instance is due.
type Due struct {
	Key           Key
	At            time.Time // in whole milliseconds
	Env, Hostname string
}

// Exclusive is a store that only one worker in local mode may use at a time: two
// of them would share epoch 0, and both write the same rows (durability contract,
// section 7).
type Exclusive interface {
	// Hold takes the store for this process, until release is called. It fails
	// with an *InUseError where another has it. A warning that isn't empty says
	// why the hold can't be relied on.
	Hold(ctx context.Context) (release func() error, warning string, err error)
}

// Private is a store whose rows only this process, or this machine, can read. A fleet of
// several machines needs another: an id that moved would come up blank (durability
// contract, section 7).
type Private interface {
	// PrivateRows marks the store.
	PrivateRows()
}
