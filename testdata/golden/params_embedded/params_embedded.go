package params_embedded

import (
	"context"

	"github.com/pinned-go/pinned"
)

// Page is embedded by requests.
type Page struct {
	After int `query:"after"`
	Limit int `query:"limit" default:"10"`
}

type auth struct {
	Token string `header:"X-Token"`
}

type Base struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type List struct {
	Page
	auth
	Word string `query:"word"`
}

type Create struct {
	Base
	Page
	Text string `json:"title"`
}

//pinned:object /params_embedded
type Echo struct{ pinned.Object }

//pinned:route GET /list
func (e *Echo) List(ctx context.Context, l List) string { return l.Word + l.Token }

//pinned:route POST /create
func (e *Echo) Create(ctx context.Context, c Create) (Create, error) { return c, nil }
