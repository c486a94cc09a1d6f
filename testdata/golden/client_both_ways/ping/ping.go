package ping

import (
	"context"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/client_both_ways/pong/pongs"
)

//pinned:object /client_both_ways_ping client=./pings
type Ping struct{ pinned.Object }

// Hit goes to and fro n times.
//
//pinned:route POST /hit/{n}
func (p *Ping) Hit(ctx context.Context, n int) (string, error) {
	if n == 0 {
		return "ping", nil
	}
	heard, err := pongs.From(p).Pong(p.ID()).Hit(ctx, 1)
	return "ping " + heard, err
}
