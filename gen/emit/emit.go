// Package emit writes the Go code of an annotated package. It is pure: a model
// goes in, files come out, and the same model gives the same bytes on every
// machine. How code is rendered (jennifer) is known here and nowhere else.
package emit

import (
	"errors"

	"github.com/pinned-go/pinned/gen/model"
)

// Package gives the files to write for p, by their path relative to p.Dir
// (with slashes): "pinned_gen.go", and one for each directory that a client=
// names.
func Package(p *model.Package) (map[string][]byte, error) {
	return nil, errors.New("emit " + p.Path + ": not built")
}
