// Package namespaces_share_prefix has objects whose namespaces, and routes whose
// patterns, begin alike.
package namespaces_share_prefix

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /prefix
type A struct{ pinned.Object }

//pinned:route GET /r
func (a *A) Hello(ctx context.Context) string { return "a" }

//pinned:route GET /rr
func (a *A) Longer(ctx context.Context) string { return "a longer" }

//pinned:route GET /r/{x}
func (a *A) Below(ctx context.Context, x string) string { return "a below " + x }

//pinned:object /prefixed
type B struct{ pinned.Object }

//pinned:route GET /r
func (b *B) Hello(ctx context.Context) string { return "b" }

//pinned:object /prefix-ed
type C struct{ pinned.Object }

//pinned:route GET /r
func (c *C) Hello(ctx context.Context) string { return "c" }
