package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pinned-go/pinned/gen/diag"
)

// Status says how a file differs from what would be generated.
type Status string

// The values of Status.
const (
	Changed  Status = "changed"  // its content
	Missing  Status = "missing"  // it isn't there
	Orphaned Status = "orphaned" // it is there, and nothing asks for it
)

// Difference is a file that isn't what Generate computes. Its JSON is the form
// that -json writes.
type Difference struct {
	File   string `json:"file"`
	Status Status `json:"status"`
	// Diff is unified, from what is on the disk to what should be.
	Diff string `json:"diff"`
}

// Check compares the disk with what Generate computes, and writes nothing. The
// paths of the differences, sorted, are relative to o.Dir and have slashes.
func Check(ctx context.Context, o Options) ([]Difference, []diag.Diagnostic, error) {
	out, problems, err := Generate(ctx, o)
	if err != nil || len(problems) > 0 {
		return nil, problems, err
	}
	differences, err := out.compare(root(o.Dir))
	return differences, nil, err
}

func (out Output) compare(dir string) ([]Difference, error) {
	var differences []Difference
	for _, f := range out.Files {
		old, err := os.ReadFile(f.Path)
		status := Changed
		switch {
		case errors.Is(err, fs.ErrNotExist):
			status = Missing
		case err != nil:
			return nil, fmt.Errorf("check: %w", err)
		case same(old, f.Content):
			continue
		}
		differences = append(differences, difference(dir, f.Path, status, old, f.Content))
	}
	for _, path := range out.Orphans {
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("check: %w", err)
		}
		differences = append(differences, difference(dir, path, Orphaned, old, nil))
	}
	slices.SortFunc(differences, func(a, b Difference) int { return strings.Compare(a.File, b.File) })
	return differences, nil
}

// devNull is what a diff calls a file that isn't there, on every system.
const devNull = "/dev/null"

// difference writes a diff that patch -p1 applies in dir.
func difference(dir, path string, status Status, old, content []byte) Difference {
	file := relative(dir, path)
	from, to := "a/"+file, "b/"+file
	switch status {
	case Missing:
		from = devNull
	case Orphaned:
		to = devNull
	}
	return Difference{File: file, Status: status, Diff: string(diff.Diff(from, old, to, content))}
}

func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// same tells whether a file has the content that we'd write. A checkout with
// CRLF line ends (git's core.autocrlf) has: no Go file of ours means a CR.
func same(file, content []byte) bool {
	if bytes.Equal(file, content) {
		return true
	}
	return bytes.Equal(bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n")), content)
}
