package below

import (
	"context"

	"github.com/pinned-go/pinned"
	root "github.com/pinned-go/pinned/goldens/package_below_package"
)

//pinned:object /package_below_package_below
type Below struct{ pinned.Object }

//pinned:route POST /
func (b *Below) Post(ctx context.Context, s root.Shared) (root.Shared, error) {
	return root.From(b).Root("above").Post(ctx, s)
}
