package params_body

import (
	"context"

	"github.com/pinned-go/pinned"
)

type Item struct{ Name string }

type Body struct {
	Text  string `json:"text"`
	N     *int
	List  []Item
	Skip  string         `json:"-"`
	Dry   bool           `query:"dry"`
	Token string         `header:"X-Token" json:"token"`
	Map   map[string]int `json:"map,omitempty"`
}

//pinned:object /params_body
type Echo struct{ pinned.Object }

//pinned:route POST /post
func (e *Echo) Post(ctx context.Context, b Body) (Body, error) { return b, nil }

//pinned:route PUT /put/{id}
func (e *Echo) Put(ctx context.Context, b *Body, id int) (*Body, error) { return b, nil }

//pinned:route PATCH /patch
func (e *Echo) Patch(b Body) Body { return b }

//pinned:route POST /only-query
func (e *Echo) OnlyQuery(ctx context.Context, q struct {
	Force bool `query:"force"`
}) bool {
	return q.Force
}
