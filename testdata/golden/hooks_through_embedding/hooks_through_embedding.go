package hooks_through_embedding

import (
	"context"

	"github.com/pinned-go/pinned"
)

// base has a hook that objects inherit.
type base struct{ opens int }

func (b *base) Open(ctx context.Context) error { b.opens++; return nil }

//pinned:object /hooks_through_embedding
type Lamp struct {
	pinned.Object
	base
}

//pinned:route GET /opens
func (l *Lamp) Opens(ctx context.Context) int { return l.opens }
