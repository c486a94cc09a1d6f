package comments

import (
	"context"

	"github.com/pinned-go/pinned"
)

// Lamp has comments that don't make it easy: */ ends one, /* begins one, and a
// backquote ` is there too.
//
//	an := indented.Block()
//
//pinned:object /comments
//nolint:revive // a directive of another tool
type Lamp struct{ pinned.Object }

//pinned:route GET /first
// First has its directive above its comment, with a "quote" and a \ in it.
func (l *Lamp) First(ctx context.Context) string { return "first" }

// Second says:
//   - one
//   - two
//
// # A heading
//
// [Lamp] is linked.
//
//pinned:route GET /second
func (l *Lamp) Second(ctx context.Context) string { return "second" }

/*
Third has a general comment. It ends here: * /
*/
//pinned:route GET /third
func (l *Lamp) Third(ctx context.Context) string { return "third" }

//pinned:route GET /fourth
func (l *Lamp) Fourth(ctx context.Context) string { return "no comment" }

// Prose may mention pinned:route, or pinned: anything, in the middle of a line.
//
//	//pinned:route GET /example
//
//pinned:route GET /fifth
func (l *Lamp) Fifth(ctx context.Context) string { return "fifth" }

//	pinned is a word that a comment may begin with.
var _ = 0

const text = `
//pinned:route GET /in-a-string
`
