package bad_fields

import (
	"context"

	"github.com/pinned-go/pinned"
)

type Twice struct {
	A string `query:"a"`
	B string `query:"a"`
	C string `header:"x-c"`
	D string `header:"X-C"`
}

type Both struct {
	A string `query:"a" header:"X-A"`
}

type Types struct {
	Map     map[string]string `query:"map"`
	Chan    chan int          `query:"chan"`
	Struct  struct{ A int }   `query:"struct"`
	Nested  [][]string        `query:"nested"`
	Any     any               `header:"X-Any"`
	private string            `query:"private"`
}

type Defaults struct {
	N     int    `query:"n" default:"many"`
	Small int8   `query:"small" default:"300"`
	B     bool   `query:"b" default:"perhaps"`
	Alone string `default:"x"`
	Opt   *int   `query:"opt" default:""`
	List  []int  `query:"list" default:"1"`
}

type Names struct {
	A string `query:""`
	B string `header:"X Y"`
	C string `header:""`
	D string `header:"Content-Length"`
}

type Body struct {
	A string `json:"b" query:"a"`
	B string
}

type Nested struct {
	Sub struct {
		A string `query:"a"`
	}
}

//pinned:object /bad_fields
type Room struct{ pinned.Object }

//pinned:route GET /twice
func (r *Room) Twice(ctx context.Context, q Twice) {}

//pinned:route GET /both
func (r *Room) Both(ctx context.Context, q Both) {}

//pinned:route GET /types
func (r *Room) Types(ctx context.Context, q Types) {}

//pinned:route POST /defaults
func (r *Room) Defaults(ctx context.Context, q Defaults) {}

//pinned:route GET /names
func (r *Room) Names(ctx context.Context, q Names) {}

//pinned:route POST /body
func (r *Room) Body(ctx context.Context, q Body) {}

//pinned:route POST /nested
func (r *Room) Nested(ctx context.Context, q Nested) {}
