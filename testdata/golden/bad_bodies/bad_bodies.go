package bad_bodies

import (
	"context"
	"io"

	"github.com/pinned-go/pinned"
)

type Body struct{ Text string }

type Both struct {
	Text string
	N    int `query:"n"`
}

//pinned:object /bad_bodies
type Room struct{ pinned.Object }

//pinned:route GET /a
func (r *Room) A(ctx context.Context, b Body) {}

//pinned:route DELETE /b
func (r *Room) B(ctx context.Context, b Both) {}

//pinned:route HEAD /c
func (r *Room) C(ctx context.Context, body io.Reader) {}

//pinned:route POST /d
func (r *Room) D(ctx context.Context, b Body, body io.Reader) {}

//pinned:route POST /e
//pinned:route GET /e
func (r *Room) E(ctx context.Context, b Body) {}

//pinned:route GET /f limit=1KiB
func (r *Room) F(ctx context.Context) {}

//pinned:route POST /g limit=1KiB
func (r *Room) G(ctx context.Context) {}
