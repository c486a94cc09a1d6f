// Package naming_client has objects and routes whose names are those of generated
// methods' own things.
package naming_client

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /naming_client_ref
type Ref struct{ pinned.Object }

//pinned:route GET /
func (t *Ref) Call(ctx context.Context) string { return "call" }

//pinned:route GET /ref
func (t *Ref) Ref(ctx context.Context) string { return "ref" }

//pinned:route GET /string
func (t *Ref) String(ctx context.Context) string { return "string" }

//pinned:route GET /error
func (t *Ref) Error(ctx context.Context) string { return "error" }

//pinned:route GET /object
func (t *Ref) Object1(ctx context.Context) string { return "object" }

//pinned:object /naming_client_import
type Import struct{ pinned.Object }

//pinned:route POST /import
func (i *Import) Import(ctx context.Context) error { return nil }

//pinned:route POST /register
func (i *Import) Register(ctx context.Context) error { return nil }

//pinned:object /naming_client_url
type URLShortener struct{ pinned.Object }

//pinned:route GET /
func (u *URLShortener) HTTPGet(ctx context.Context) string { return "url" }

//pinned:object /naming_client_unicode
type Ünïcode struct{ pinned.Object }

//pinned:route GET /größe/{größe}
func (ü *Ünïcode) Größe(ctx context.Context, größe int) int { return größe }
