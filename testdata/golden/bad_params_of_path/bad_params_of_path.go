package bad_params_of_path

import (
	"context"
	"time"

	"github.com/pinned-go/pinned"
)

type Point struct{ X, Y int }

//pinned:object /bad_params_of_path
type Room struct{ pinned.Object }

//pinned:route GET /a/{id}
func (r *Room) Missing(ctx context.Context) {}

//pinned:route GET /b/{id}
func (r *Room) Other(ctx context.Context, name string) {}

//pinned:route GET /c/{id}
func (r *Room) Unnamed(context.Context, string) {}

//pinned:route GET /d/{id}
func (r *Room) Blank(_ context.Context, _ string) {}

//pinned:route GET /e/{id}
func (r *Room) Struct(ctx context.Context, id Point) {}

//pinned:route GET /f/{id}
func (r *Room) Slice(ctx context.Context, id []string) {}

//pinned:route GET /g/{id}
func (r *Room) PointerTo(ctx context.Context, id *int) {}

//pinned:route GET /h/{id}
func (r *Room) Float(ctx context.Context, id complex128) {}

//pinned:route GET /i/{at}
func (r *Room) Fine(ctx context.Context, at time.Time) {}

//pinned:route GET /j
func (r *Room) NotThere(ctx context.Context, n int) {}

//pinned:route GET /k/{rest...}
func (r *Room) Rest(ctx context.Context, rest int) {}

//pinned:route GET /l/{a}
//pinned:route GET /l/{b}/x
func (r *Room) Several(ctx context.Context, a string) {}

//pinned:route GET /m/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}
func (r *Room) Nine(ctx context.Context, a, b, c, d, e, f, g, h, i string) {}

//pinned:route GET /n/{Id}
func (r *Room) Case(ctx context.Context, id string) {}
