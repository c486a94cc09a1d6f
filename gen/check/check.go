// Package check decides whether annotated packages are what authoring allows,
// and describes them in gen/model. It reads syntax and types only; no file, no
// command.
package check

import (
	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// Check describes the packages of res, sorted by path, and returns what is wrong
// with them, those of res.Diagnostics included, sorted, with absolute paths. Nothing
// may be emitted when there is any; the models are whole only when there is none.
func Check(res *load.Result) ([]*model.Package, []diag.Diagnostic) {
	return nil, res.Diagnostics
}
