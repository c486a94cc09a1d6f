package pong

import (
	"context"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/client_both_ways/ping/pings"
)

//pinned:object /client_both_ways_pong client=./pongs
type Pong struct{ pinned.Object }

//pinned:route POST /hit/{n}
func (p *Pong) Hit(ctx context.Context, n int) (string, error) {
	heard, err := pings.From(p).Ping(p.ID()).Hit(ctx, 0)
	return "pong " + heard, err
}
