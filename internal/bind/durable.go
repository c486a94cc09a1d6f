package bind

import (
	"context"
	"encoding/json"
)

// Entry is one entry of a row's document as JSON. It never changes: what is
// flushed is what was there at the write, however much later that is.
type Entry interface {
	// Append appends the JSON.
	Append(dst []byte) []byte
	// Len is how many bytes Append appends.
	Len() int
}

// Row is what a durable field sees of the row that it is an entry of (durability
// contract, section 4). The runtime implements it. But for Stored, its methods
// are for code that holds the instance's turn.
type Row interface {
	// Stored is the entry as the store had it at the activation. A name that was
	// asked for is claimed: the field answers for it from then on.
	Stored(name string) (entry json.RawMessage, ok bool)
	// Write replaces the entry of a field, takes it out if e is nil, and enlists
	// the row. The position is that of the write in the instance's log. An error
	// has changed nothing: the document would be over 16 MiB, or the instance has
	// ended.
	Write(name string, e Entry) (pos int64, err error)
	// Refuse is for a write that never came to be one, such as of a value that
	// doesn't encode: like an error of Write it makes the turn answer 500. It
	// returns err with the row and the entry in it.
	Refuse(name string, err error) error
	// Seen raises the gate of the current turn to a position that it has read.
	Seen(pos int64)
	// Wait waits until all writes up to a position are durable, and gives up the
	// turn in ctx meanwhile.
	Wait(ctx context.Context, pos int64) error
}

// Gates is what a feed sees of the gates of its instance's turns.
type Gates interface {
	// Origin is the gate of what the code that runs now makes: the current turn's,
	// or where no turn is held, the position of the last write.
	Origin() int64
	// Raise raises the gate of the turn in ctx, if it is of the same instance.
	Raise(ctx context.Context, pos int64)
}

// Package pinned fills these in.
var (
	// BindField binds a durable field, such as a *pinned.Value, to its row under
	// its durable name. initial is the JSON of its initial value, nil for that of
	// the zero value. The error of an entry of the wrong shape names neither row
	// nor entry. A field that isn't bound works without a host.
	BindField func(field any, row Row, name string, initial json.RawMessage) error
	// BindFeed makes the elements of a *pinned.Feed carry the gate of their origin.
	BindFeed func(feed any, gates Gates) error
)
