package websocket

import (
	"context"

	"github.com/pinned-go/pinned"
)

type (
	In  struct{ Say string }
	Out struct {
		Heard string
		N     int
	}
)

//pinned:object /websocket
type Room struct {
	pinned.Object
	n int
}

//pinned:route WEBSOCKET /live
func (r *Room) Live(ctx context.Context, conn *pinned.Conn[In, Out]) error {
	for in, err := range conn.All(ctx) {
		if err != nil {
			return err
		}
		r.n++
		if err := conn.Send(ctx, Out{in.Say, r.n}); err != nil {
			return err
		}
	}
	return nil
}

type Join struct {
	Name string `query:"name"`
	Key  string `header:"X-Key"`
}

//pinned:route WEBSOCKET /join/{seat} limit=64KiB
func (r *Room) Join(ctx context.Context, seat int, j Join, conn *pinned.Conn[string, []string], caller pinned.Caller) error {
	said, err := conn.Receive(ctx)
	if err != nil {
		return err
	}
	return conn.Send(ctx, []string{j.Name, j.Key, said})
}

// Both has a plain answer on the same path.
//
//pinned:route GET /both
func (r *Room) Both(ctx context.Context) string { return "plain" }

//pinned:route WEBSOCKET /both
func (r *Room) BothLive(ctx context.Context, conn *pinned.Conn[int, int]) {
	if n, err := conn.Receive(ctx); err == nil {
		_ = conn.Send(ctx, -n)
	}
}
