package bad_hooks

import (
	"context"
	"net/http"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_hooks
type Room struct{ pinned.Object }

func (r *Room) Open() error { return nil }

func (r *Room) Close(ctx context.Context) {}

func (r *Room) Authorize(ctx context.Context, req http.Request, caller pinned.Caller) error { return nil }

func (r *Room) Idle() bool { return true }

func (r *Room) Stats() map[string]int { return nil }

//pinned:object /bad_hooks_value
type Hall struct{ pinned.Object }

func (h Hall) Open(ctx context.Context, force bool) error { return nil }

//pinned:object /bad_hooks_field
type Cell struct {
	pinned.Object
	Open func(context.Context) error
}
