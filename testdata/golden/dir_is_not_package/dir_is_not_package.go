// Package elsewhere lies in a folder of another name.
package elsewhere

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /dir_is_not_package
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get(ctx context.Context) (string, error) { return From(l).Lamp("other").Other(ctx) }

//pinned:route GET /other
func (l *Lamp) Other(ctx context.Context) string { return l.ID() }
