package methods

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /methods
type All struct{ pinned.Object }

//pinned:route GET /
func (a *All) Get(ctx context.Context) string { return "get" }

//pinned:route HEAD /head
func (a *All) Head(ctx context.Context) error { return nil }

//pinned:route POST /
func (a *All) Post(ctx context.Context) string { return "post" }

//pinned:route PUT /
func (a *All) Put(ctx context.Context) string { return "put" }

//pinned:route PATCH /
func (a *All) Patch(ctx context.Context) string { return "patch" }

//pinned:route DELETE /
func (a *All) Delete(ctx context.Context) string { return "delete" }
