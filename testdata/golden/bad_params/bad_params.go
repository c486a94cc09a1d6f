package bad_params

import (
	"context"
	"io"
	"net/http"

	"github.com/pinned-go/pinned"
)

type Q struct {
	A string `query:"a"`
}

//pinned:object /bad_params
type Room struct{ pinned.Object }

//pinned:route POST /channel
func (r *Room) Channel(ctx context.Context, c chan int) {}

//pinned:route POST /func
func (r *Room) Func(ctx context.Context, f func()) {}

//pinned:route POST /any
func (r *Room) Any(ctx context.Context, a any) {}

//pinned:route POST /slice
func (r *Room) Slice(ctx context.Context, s []int) {}

//pinned:route POST /variadic
func (r *Room) Variadic(ctx context.Context, s ...string) {}

//pinned:route POST /late-ctx
func (r *Room) LateContext(q Q, ctx context.Context) {}

//pinned:route POST /contexts
func (r *Room) Contexts(ctx, ctx2 context.Context) {}

//pinned:route POST /structs
func (r *Room) Structs(ctx context.Context, q Q, q2 Q) {}

//pinned:route POST /readers
func (r *Room) Readers(ctx context.Context, a, b io.Reader) {}

//pinned:route POST /requests
func (r *Room) Requests(ctx context.Context, a, b *http.Request) {}

//pinned:route POST /callers
func (r *Room) Callers(ctx context.Context, a, b pinned.Caller) {}

//pinned:route GET /value
func (r *Room) Value(ctx context.Context, req http.Request) {}

//pinned:route GET /generic
func (r *Room) Pointer(ctx context.Context, c *pinned.Caller) {}

//pinned:route PUT /closer
func (r *Room) Closer(ctx context.Context, body io.ReadCloser) {}
