package head

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /head
type Page struct{ pinned.Object }

//pinned:route HEAD /only
func (p *Page) Only(ctx context.Context) error { return nil }

//pinned:route HEAD /typed
func (p *Page) Typed(ctx context.Context) (*pinned.Response[string], error) {
	return &pinned.Response[string]{Header: map[string][]string{"X-Length": {"7"}}, Body: "seven__"}, nil
}

//pinned:route HEAD /missing
func (p *Page) Missing(ctx context.Context) error {
	return &pinned.Error{Status: 404, Title: "Not Found"}
}
