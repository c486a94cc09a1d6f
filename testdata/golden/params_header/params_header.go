package params_header

import (
	"context"
	"time"

	"github.com/pinned-go/pinned"
)

type Headers struct {
	Token string    `header:"x-token"`
	N     int       `header:"X-N"`
	When  time.Time `header:"X-When"`
	Opt   *bool     `header:"X-Opt"`
	Many  []string  `header:"X-Many"`
	Def   string    `header:"X-Def" default:"none"`
}

//pinned:object /params_header
type Echo struct{ pinned.Object }

//pinned:route GET /
func (e *Echo) Get(ctx context.Context, h Headers) (Headers, error) { return h, nil }
