package options_of_routes

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/pinned-go/pinned"
)

//pinned:object /options_of_routes
type Safe struct {
	pinned.Object
	n int
}

func (s *Safe) Authorize(ctx context.Context, r *http.Request, caller pinned.Caller) error {
	return &pinned.Error{Status: 401, Title: "Unauthorized"}
}

// Nobody lets nobody in.
func (s *Safe) Nobody(ctx context.Context, r *http.Request, caller pinned.Caller) error {
	return errors.New("nobody")
}

func (s *Safe) everybody(ctx context.Context, r *http.Request, caller pinned.Caller) error {
	return nil
}

//pinned:route GET /default
func (s *Safe) Default(ctx context.Context) error { return nil }

//pinned:route GET /nobody auth=Nobody
func (s *Safe) GetNobody(ctx context.Context) error { return nil }

//pinned:route GET /everybody auth=everybody
func (s *Safe) Everybody(ctx context.Context) error { return nil }

//pinned:route GET /none auth=none
func (s *Safe) None(ctx context.Context) error { return nil }

//pinned:route POST /concurrent concurrent auth=none limit=10
func (s *Safe) Concurrent(ctx context.Context, body io.Reader) (int, error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return len(text), err
	}
	err = s.Turn(ctx, func(ctx context.Context) error {
		s.n++
		return nil
	})
	return s.n, err
}

//pinned:route POST /bytes limit=8 auth=none
func (s *Safe) Bytes(ctx context.Context, b struct{ Text string }) string { return b.Text }

//pinned:route POST /kib limit=2KiB auth=none
func (s *Safe) KiB(ctx context.Context, b struct{ Text string }) string { return b.Text }

//pinned:route POST /gib limit=1GiB auth=none
func (s *Safe) GiB(ctx context.Context, b struct{ Text string }) {}
