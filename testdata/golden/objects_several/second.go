package objects_several

import (
	"context"
	"fmt"

	"github.com/pinned-go/pinned"
)

// C stands in another file.
//
//pinned:object /objects_several_c
type C struct{ pinned.Object }

//pinned:route GET /who
func (c *C) Who(ctx context.Context, caller pinned.Caller) string {
	return fmt.Sprint(caller.Namespace, " ", caller.ID != "", " ", caller.Depth)
}

// More is a route of an object of the first file.
//
//pinned:route GET /more
func (b *B) More(ctx context.Context) string { return "more" }
