// Package pinned is called as the toolkit.
package pinned

import (
	"context"

	"github.com/pinned-go/pinned"
)

// Client-like names of another package don't matter; Runtime is like runtime.
//
//pinned:object /runtimes
type Runtime struct{ pinned.Object }

// Get returns something.
//
//pinned:route GET /{runtime}
func (r *Runtime) Get(ctx context.Context, runtime string) string { return "" }
