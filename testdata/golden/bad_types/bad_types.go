package bad_types

import (
	"context"

	"github.com/pinned-go/pinned"
	"example.com/not/there"
)

//pinned:object /bad_types
type Room struct{ pinned.Object }

//pinned:route GET /x
func (r *Room) X(ctx context.Context) (Undefined, error) { return 0, nil }

//pinned:route POST /y
func (r *Room) Y(ctx context.Context, t there.Thing) error { return nil }

//pinned:route POST /z
func (r *Room) Z(ctx context.Context, in In) error { return nil }

type In struct {
	Deep []Deeper
}

type Deeper struct{ A AlsoUndefined }

// Unrelated faults don't matter.
func unrelated() Missing { return nope }
