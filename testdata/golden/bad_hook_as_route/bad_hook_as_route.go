package bad_hook_as_route

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_hook_as_route
type Door struct{ pinned.Object }

//pinned:route POST /open
func (d *Door) Open(ctx context.Context) error { return nil }

//pinned:route GET /stats
func (d *Door) Stats() map[string]any { return nil }
