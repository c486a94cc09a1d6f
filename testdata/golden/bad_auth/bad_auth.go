package bad_auth

import (
	"context"
	"net/http"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_auth
type Room struct{ pinned.Object }

//pinned:route GET /a auth=Missing
func (r *Room) A(ctx context.Context) {}

//pinned:route GET /b auth=Wrong
func (r *Room) B(ctx context.Context) {}

func (r *Room) Wrong(ctx context.Context, req *http.Request) error { return nil }

//pinned:route GET /c auth=Function
func (r *Room) C(ctx context.Context) {}

func Function(ctx context.Context, req *http.Request, caller pinned.Caller) error { return nil }

//pinned:route GET /d auth=Admin
func (r *Room) D(ctx context.Context) {}

func (r *Room) AdminOnly(ctx context.Context, req *http.Request, caller pinned.Caller) error { return nil }
