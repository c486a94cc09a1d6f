package result_response

import (
	"context"
	"net/http"

	"github.com/pinned-go/pinned"
)

type Made struct{ ID string }

//pinned:object /result_response
type Maker struct{ pinned.Object }

//pinned:route POST /make
func (m *Maker) Make(ctx context.Context) (*pinned.Response[Made], error) {
	return &pinned.Response[Made]{Status: http.StatusCreated, Header: http.Header{"X-Made": {"yes"}}, Body: Made{"one"}}, nil
}

//pinned:route GET /page
func (m *Maker) Page(ctx context.Context) *pinned.Response[string] {
	return &pinned.Response[string]{Header: http.Header{"Content-Type": {"text/html"}, "X-A": {"1", "2"}}, Body: "<p>"}
}

//pinned:route GET /raw
func (m *Maker) Raw(ctx context.Context) (*pinned.Response[[]byte], error) {
	return &pinned.Response[[]byte]{Status: 203, Body: []byte{1, 2}}, nil
}

//pinned:route GET /list
func (m *Maker) List(ctx context.Context) (*pinned.Response[[]Made], error) {
	return &pinned.Response[[]Made]{Body: []Made{{"a"}, {"b"}}}, nil
}
