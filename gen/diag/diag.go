// Package diag holds what pinnedgen says about its input: a diagnostic with its
// positions, the registry of codes, and the two forms in which they are
// written. It decides nothing about packages; the texts of a stage live in that
// stage's errors.go.
package diag

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Diagnostic is one problem, at the place that has to change. Lines and columns
// count from 1, columns in bytes; 0 means that there is none. Its JSON is the
// form that -json writes.
type Diagnostic struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndCol  int    `json:"endCol"` // exclusive, on the same line
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Related are the other places of a disagreement.
	Related []Related `json:"related"`
	// Fix is the text that goes in place of Col to EndCol, nil where none is
	// sure to be right.
	Fix *string `json:"fix,omitempty"`
}

// Related is another place that a diagnostic is about, and its part in it.
type Related struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
}

// At makes a diagnostic for width bytes from pos on.
func At(pos token.Position, width int, code Code, format string, args ...any) Diagnostic {
	return Diagnostic{
		File: pos.Filename, Line: pos.Line, Col: pos.Column, EndCol: pos.Column + width,
		Code: code, Message: fmt.Sprintf(format, args...),
	}
}

// With gives d another place.
func (d Diagnostic) With(pos token.Position, format string, args ...any) Diagnostic {
	d.Related = append(slices.Clone(d.Related), Related{
		File: pos.Filename, Line: pos.Line, Col: pos.Column, Message: fmt.Sprintf(format, args...),
	})
	return d
}

// Replace gives d a fix: text in place of what it points at.
func (d Diagnostic) Replace(text string) Diagnostic {
	d.Fix = &text
	return d
}

// String is the form of a terminal: "file:line:col: message [PIN012]", and the
// other places on lines of their own, indented by a tab.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(position(d.File, d.Line, d.Col))
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s [%s]", d.Message, d.Code)
	for _, r := range d.Related {
		fmt.Fprintf(&b, "\n\t%s: %s", position(r.File, r.Line, r.Col), r.Message)
	}
	return b.String()
}

func position(file string, line, col int) string {
	switch {
	case line == 0:
		return file
	case col == 0:
		return fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, col)
}

// MarshalJSON writes an empty list of related places as [], never null.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	type plain Diagnostic // without this method
	if d.Related == nil {
		d.Related = []Related{}
	}
	return json.Marshal(plain(d))
}

// Sort orders by file, line, column, code and message, and drops repeats.
func Sort(ds []Diagnostic) []Diagnostic {
	slices.SortStableFunc(ds, compare)
	return slices.CompactFunc(ds, func(a, b Diagnostic) bool { return compare(a, b) == 0 })
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		strings.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Col, b.Col),
		strings.Compare(string(a.Code), string(b.Code)),
		strings.Compare(a.Message, b.Message),
	)
}

// Relative gives every place its path from dir where that is the shorter one,
// with slashes on every system.
func Relative(dir string, ds []Diagnostic) []Diagnostic {
	out := make([]Diagnostic, len(ds))
	for i, d := range ds {
		d.File = relative(dir, d.File)
		related := make([]Related, len(d.Related))
		for j, r := range d.Related {
			r.File = relative(dir, r.File)
			related[j] = r
		}
		d.Related = related
		out[i] = d
	}
	return out
}

func relative(dir, file string) string {
	if file == "" || !filepath.IsAbs(file) {
		return filepath.ToSlash(file)
	}
	if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
		file = rel
	}
	return filepath.ToSlash(file)
}
