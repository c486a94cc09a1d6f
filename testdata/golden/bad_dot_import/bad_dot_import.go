package bad_dot_import

import (
	"context"
	. "net/http"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_dot_import
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get(ctx context.Context, r *Request) string { return r.Method }
