package hooks

import (
	"context"
	"net/http"

	"github.com/pinned-go/pinned"
)

// Lamp has every hook there is.
//
//pinned:object /hooks
type Lamp struct {
	pinned.Object
	opened bool
}

func (l *Lamp) Open(ctx context.Context) error { l.opened = true; return nil }

func (l *Lamp) Close(_ context.Context) error { return nil }

func (l *Lamp) Authorize(ctx context.Context, r *http.Request, caller pinned.Caller) error {
	if r.Method == http.MethodDelete {
		return &pinned.Error{Status: 403, Title: "Forbidden", Code: "no_delete"}
	}
	return nil
}

func (l *Lamp) Idle(ctx context.Context) bool { return true }

func (l *Lamp) Stats() map[string]any { return map[string]any{"opened": l.opened} }

//pinned:route GET /opened
func (l *Lamp) Opened(ctx context.Context) bool { return l.opened }

//pinned:route DELETE /lamp
func (l *Lamp) Break(ctx context.Context) error { return nil }
