package directives_in_tabs

import (
	"context"

	"github.com/pinned-go/pinned"
)

// Room is one room.
//
//pinned:object	/directives_in_tabs
type Room struct{ pinned.Object }

// X says what it is.
//
//pinned:route	GET	/x	auth=none
func (r *Room) X(ctx context.Context) (string, error) { return "x", nil }
