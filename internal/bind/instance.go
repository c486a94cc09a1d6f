package bind

import (
	"context"
	"log/slog"
	"time"
)

// Instance is what an Object is bound to: one id's live value at its host.
type Instance interface {
	// ID, Now, Epoch, Lease and Log are those of pinned.Object.
	ID() string
	Now() time.Time
	Epoch() int64
	Lease() Lease
	Log() *slog.Logger

	// Go, Turn and Abort are those of pinned.Object.
	Go(ctx context.Context, f func(context.Context))
	Turn(ctx context.Context, f func(context.Context) error) error
	Abort(cause error)
}

// Lease has the fields of pinned.Lease, which it converts into.
type Lease struct {
	Healthy          bool
	Expiry           time.Time
	WindingDown      bool
	EvictionDeadline time.Time
}

// Package pinned fills these in.
var (
	// Bind binds the object of a pinned.Hosted, such as a *pinned.Object, to in.
	Bind func(hosted any, in Instance)
	// Of is what the object of a pinned.Hosted is bound to, or nil.
	Of func(hosted any) Instance
)
