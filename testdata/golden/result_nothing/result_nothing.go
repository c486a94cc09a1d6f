package result_nothing

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /result_nothing
type Door struct {
	pinned.Object
	open bool
}

//pinned:route POST /open
func (d *Door) Open1(ctx context.Context) { d.open = true }

//pinned:route POST /slam
func (d *Door) Slam() { d.open = false }
