// Package client_two_objects keeps one client here and puts two into one folder.
package client_two_objects

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /client_two_objects_near
type Near struct{ pinned.Object }

//pinned:route GET /
func (n *Near) Get(ctx context.Context) string { return "near" }

//pinned:object /client_two_objects_far client=./api/v2
type Far struct{ pinned.Object }

//pinned:route GET /
func (f *Far) Get(ctx context.Context) string { return "far" }

//pinned:object /client_two_objects_further client=./api/v2
type Further struct{ pinned.Object }

//pinned:route GET /
func (f *Further) Get(ctx context.Context) string { return "further" }
