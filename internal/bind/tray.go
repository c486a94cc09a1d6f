package bind

import (
	"context"
	"encoding/json"

	"github.com/pinned-go/pinned/internal/core/tray"
)

// Written is a durable write, which pinned makes a Receipt of.
type Written struct {
	Row Row
	Pos int64
	Err error
}

// TrayRow is the row of a tray, as its queues see it.
type TrayRow interface {
	Row

	// Admission is the keyed admission that runs, or nil.
	Admission() *tray.Admission
	// Queued marks the row and starts the pump, before an item is appended.
	Queued() error
	// Dispatching reports whether a delivery of the tray runs, which takes are for.
	Dispatching() bool
}

// QueueField is a durable queue, as its tray sees it.
type QueueField interface {
	// Residue reports whether the stored entry had items taken, which are back at
	// the head.
	Residue() bool
	// Rewrite writes the entry as it is.
	Rewrite()
	// CommitTakes forgets what the acknowledged delivery has taken.
	CommitTakes()
	// ReturnTakes puts what a failed delivery has taken back, and reports whether
	// there was any.
	ReturnTakes() bool
}

// Tray is what a pinned.Tray is bound to.
type Tray interface {
	// Key is the tray's key, "" for a singleton's.
	Key() string
	// Kick marks the row and starts the pump.
	Kick() error
	// Delete admits the deletion and waits for it.
	Delete(ctx context.Context) error
	// Parked and Unpark are about the head's park.
	Parked() bool
	Unpark() (Written, bool)
	// Run is the epoch of the running delivery, 0 for none; Cancel consumes it.
	Run() int64
	Cancel() bool
	// Admit runs the body of an inbox as one admission.
	Admit(f func()) Written
}

// Dispatch is what a pinned.Dispatch is bound to.
type Dispatch interface {
	Delivery() tray.Delivery
	State() json.RawMessage
	SetState(raw json.RawMessage) Written
	// Admit runs f, the body of an inbox of target, as a keyed admission.
	Admit(ctx context.Context, target Tray, key json.RawMessage, f func()) (tray.Outcome, error)
}

// Trays are the trays of one field: one, or one for each key.
type Trays interface {
	// Open returns the tray's value, a *T. Where it has none yet, it is created, or
	// it is nil if create is false.
	Open(ctx context.Context, key string, create bool) (any, error)
}

// Rows are the rows of a durable map.
type Rows interface {
	// Load reads a row's document, own writes that aren't durable yet included. It
	// gives up the turn in ctx where the row isn't at hand.
	Load(ctx context.Context, key string) (doc json.RawMessage, ok bool, err error)
	// Store enlists a row; a nil document deletes it.
	Store(key string, doc Entry) Written
	// Scan reads up to limit rows whose keys have a prefix, after a key, in bytewise
	// order, own writes included. It gives up the turn in ctx.
	Scan(ctx context.Context, prefix, after string, limit int) ([]KeyedDoc, error)
}

// KeyedDoc is a row of a durable map.
type KeyedDoc struct {
	Key string
	Doc json.RawMessage
}

// Package pinned fills these in.
var (
	// BindTray binds the Tray of a struct that embeds one.
	BindTray func(embeds any, in Tray)
	// TrayIn is what that is bound to, or nil.
	TrayIn func(embeds any) Tray
	// BindTrays binds a *pinned.TrayOf or *pinned.TraysOf.
	BindTrays func(field any, in Trays)
	// BindJobs binds a *pinned.Jobs to its tray.
	BindJobs func(jobs any, in Tray)
	// JobsQueue is the *pinned.Queue of a *pinned.Jobs.
	JobsQueue func(jobs any) any
	// BindMap binds a *pinned.Map. It is false for any other field.
	BindMap func(field any, rows Rows) bool
	// QueueOf is the queue behind a durable field, or nil where it isn't one.
	QueueOf func(field any) QueueField
	// NewDispatch makes a *pinned.Dispatch.
	NewDispatch func(in Dispatch) any
	// Admission makes a pinned.Admission of a key and the body of an inbox.
	Admission func(embeds any, key string, f func()) any
	// Receipt makes a pinned.Receipt.
	Receipt func(w Written) any
)
