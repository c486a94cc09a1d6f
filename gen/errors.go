package gen

import (
	"go/token"
	"path/filepath"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// The messages of this package.

// bug is for output of ours that isn't Go: no change of the author's mends it.
func bug(p *model.Package, err error) diag.Diagnostic {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return diag.At(token.Position{Filename: filepath.Join(p.Dir, load.Output)}, 0, diag.Internal,
		"bug in pinnedgen, please report it with this package; the file is left as it is: %s", text)
}
