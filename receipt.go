package pinned

import (
	"context"

	"github.com/pinned-go/pinned/internal/bind"
)

// Receipt is that of a durable write. An answer waits for the writes of its turn
// by itself, so most receipts are dropped; it is for who wants to know before the
// answer, or in a route that is ungated.
//
// The zero Receipt is that of a write which is durable, as every write is of a
// field without a host.
type Receipt struct {
	row bind.Row
	pos int64
	err error
}

// Wait gives up the turn in ctx until the write, and all before it, are durable.
// It returns an error where the write was refused: the value doesn't encode, the
// document would be over 16 MiB, or the instance had ended. It returns another
// where the store failed, which aborts the instance: whether the write took
// effect isn't known then. It returns that of ctx when ctx ends first; the write
// goes on.
func (r Receipt) Wait(ctx context.Context) error {
	if r.err != nil || r.row == nil {
		return r.err
	}
	return r.row.Wait(ctx, r.pos)
}
