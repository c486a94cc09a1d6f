// Package gen is the generator behind the pinnedgen command: load, check, emit,
// in that order, and one direction. Generate, Check and Show compute and write
// nothing; Output.Write is the only place that changes files, once everything
// has been computed. So whatever fails, what stood on the disk before stands
// there afterwards.
package gen

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pinned-go/pinned/gen/check"
	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/emit"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// Options say what a run is about.
type Options struct {
	Dir      string   // patterns are relative to it; "" is the working directory
	Tags     string   // build tags, separated by commas
	Patterns []string // as for go build; none means "."
	Env      []string // of the go command; nil means the process's own
}

// Output is what the packages of a run should have on the disk.
type Output struct {
	Files   []File   // sorted by path
	Orphans []string // generated files that nothing asks for any more, absolute, sorted
}

// File is one generated file.
type File struct {
	Path    string // absolute
	Content []byte
}

// Generate computes the output of the packages that o names, and what is wrong
// with them: diagnostics, sorted, with paths relative to o.Dir. There is output only
// when there are none. The error is a fault of the run, such as a missing go command.
func Generate(ctx context.Context, o Options) (Output, []diag.Diagnostic, error) {
	res, models, problems, err := read(ctx, o)
	if err != nil || len(problems) > 0 {
		return Output{}, problems, err
	}
	out := Output{Orphans: res.Orphans}
	for i, emitted := range emitAll(models) {
		p := models[i]
		if emitted.err != nil {
			problems = append(problems, bug(p, emitted.err))
			continue
		}
		for name, content := range emitted.files {
			out.Files = append(out.Files, File{filepath.Join(p.Dir, filepath.FromSlash(name)), content})
		}
	}
	if len(problems) > 0 {
		return Output{}, diag.Sort(diag.Relative(root(o.Dir), problems)), nil
	}
	slices.SortFunc(out.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil, nil
}

// emission is what emit makes of one package.
type emission struct {
	files map[string][]byte // by path from the package's folder
	err   error
}

// emitAll emits packages side by side, since that is most of the work of a run
// that loads little; the results are in the order of models.
func emitAll(models []*model.Package) []emission {
	emitted := make([]emission, len(models))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(models)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(models)); i = next.Add(1) - 1 {
				emitted[i].files, emitted[i].err = emit.Package(models[i])
			}
		})
	}
	workers.Wait()
	return emitted
}

// read loads and checks: what every verb begins with. Each run loads once.
func read(ctx context.Context, o Options) (*load.Result, []*model.Package, []diag.Diagnostic, error) {
	res, err := load.Load(ctx, load.Config{Dir: o.Dir, Tags: o.Tags, Patterns: o.Patterns, Env: o.Env})
	if err != nil {
		return nil, nil, nil, fmt.Errorf("load: %w", err)
	}
	models, problems := check.Check(res)
	return res, models, diag.Sort(diag.Relative(root(o.Dir), problems)), nil
}

// root is dir as the go command names it: absolute, without links.
func root(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return dir
}
