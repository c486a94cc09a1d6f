package patterns

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /patterns
type Paths struct{ pinned.Object }

//pinned:route GET /{$}
func (p *Paths) Root(ctx context.Context) string { return "root" }

//pinned:route GET /tree/
func (p *Paths) Tree(ctx context.Context) string { return "tree" }

//pinned:route GET /tree/leaf
func (p *Paths) Leaf(ctx context.Context) string { return "leaf" }

//pinned:route GET /tree/{$}
func (p *Paths) TreeRoot(ctx context.Context) string { return "tree root" }

//pinned:route GET /a/{x}/c
func (p *Paths) Wild(ctx context.Context, x string) string { return x }

//pinned:route GET /a/b/c
func (p *Paths) Exact(ctx context.Context) string { return "exact" }

//pinned:route GET /a/{x}/{rest...}
func (p *Paths) Rest(ctx context.Context, x, rest string) string { return x + "|" + rest }

//pinned:route GET /é-ü/%7Bno%7D
func (p *Paths) Escaped(ctx context.Context) string { return "escaped" }

//pinned:route GET /several
//pinned:route POST /several
//pinned:route GET /some/{$}
func (p *Paths) Several(ctx context.Context) string { return "several" }
