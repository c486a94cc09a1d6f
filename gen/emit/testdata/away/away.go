// Package away has an object whose client is elsewhere, and calls one that calls
// it.
package away

import (
	"context"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/gen/emit/testdata/away/api"
	"github.com/pinned-go/pinned/gen/emit/testdata/away/api/kinds"
)

// Ping has its client in another package.
//
//pinned:object /pings client=./api
type Ping struct{ pinned.Object }

// Ping calls itself.
//
//pinned:route POST /ping/{kind}
func (p *Ping) Ping(ctx context.Context, kind kinds.Kind, b api.Ball) (api.Ball, error) {
	if b.N == 0 {
		return b, api.ErrLost
	}
	b.N--
	return api.From(p).Ping(p.ID()).Ping(ctx, kind, b)
}
