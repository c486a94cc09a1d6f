package defaults_stay_apart

import (
	"context"

	"github.com/pinned-go/pinned"
)

type Zero struct {
	Limit int     `query:"limit" default:"50"`
	Name  string  `query:"name" default:"nobody"`
	Yes   bool    `query:"yes" default:"true"`
	Opt   *int    `query:"opt" default:"7"`
	Word  *string `header:"X-Word" default:"w"`
}

//pinned:object /defaults_stay_apart
type Echo struct{ pinned.Object }

// Given answers with what it got: zero values that a client sends aren't taken for absent.
//
//pinned:route GET /given
func (e *Echo) Given(ctx context.Context, z Zero) (Zero, error) { return z, nil }

// Called calls Given with zero values.
//
//pinned:route GET /called
func (e *Echo) Called(ctx context.Context) (Zero, error) {
	return From(e).Echo("other").Given(ctx, Zero{})
}
