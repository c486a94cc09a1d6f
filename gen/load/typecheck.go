package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// A unit is a package that is type-checked from source: one of the run, or one of a main
// module through which a package of the run sees what another one generates. No
// output on disk is read for it, and the go command never hears of it. So
// whatever state outputs are in, and even where there are none, nothing fails. All
// other packages come as export data.
type unit struct {
	f       *folder
	imports map[string]*unit // by path
	whole   bool             // its stub has all names, not just the package clause
	stub    *ast.File
	done    chan struct{} // closed when types is there
	types   *types.Package
	errors  []types.Error
}

// typecheck finds the types of the run's packages, with one call of the go command
// for all that they import.
func typecheck(ctx context.Context, cfg Config, s *sources, res *Result) error {
	units, err := s.units()
	if err != nil {
		return err
	}
	foreign, err := exported(ctx, cfg, s, units, markStubs(units))
	if err != nil {
		return err
	}
	for _, u := range units {
		if err := u.addStub(s.fset); err != nil {
			return err
		}
	}
	cut := cycles(units)
	settings := newBuild(cfg)
	cpu := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for _, u := range units {
		wg.Go(func() {
			defer close(u.done)
			for _, dep := range u.imports {
				if !cut[edge{u, dep}] {
					<-dep.done
				}
			}
			cpu <- struct{}{}
			defer func() { <-cpu }()
			u.check(s.fset, settings, func(path string) (*types.Package, error) {
				dep := u.imports[path]
				switch {
				case dep == nil:
					return foreign.find(path)
				case cut[edge{u, dep}]:
					return nil, errors.New("import cycle not allowed")
				case dep.types == nil:
					return nil, errors.New("no file of it is in this build")
				}
				return dep.types, nil
			})
		})
	}
	wg.Wait()
	byDir := map[string]*unit{}
	for _, u := range units {
		byDir[u.f.dir] = u
	}
	for _, p := range res.Packages {
		if u := byDir[p.Dir]; u != nil {
			p.Types, p.TypeErrors = u.types, u.errors
		}
	}
	return nil
}

// units are the run's packages, and what of the main modules stands between them: the
// packages that they import and that import, further down, one with an output.
func (s *sources) units() ([]*unit, error) {
	byDir := map[string]*unit{}
	var visit func(dir string) (*unit, error)
	visit = func(dir string) (*unit, error) {
		if u, seen := byDir[dir]; seen {
			return u, nil
		}
		byDir[dir] = nil // while it is looked at, and if it is none
		f := s.folders[dir]
		if f == nil {
			return nil, nil
		}
		u := &unit{f: f, imports: map[string]*unit{}, done: make(chan struct{})}
		if f.generates() {
			byDir[dir] = u // so that cycles are seen as such
		}
		for _, path := range f.imported() {
			below := s.w.folder(path)
			if below == "" {
				continue
			}
			dep, err := visit(below)
			if err != nil {
				return nil, err
			}
			if dep != nil {
				u.imports[path] = dep
			}
		}
		if !f.generates() && len(u.imports) == 0 {
			return nil, nil
		}
		byDir[dir] = u
		if f.files == nil {
			whole, err := s.need(dir, true)
			if err != nil {
				return nil, err
			}
			u.f = whole
		}
		return u, nil
	}
	for dir := range s.roots {
		if _, err := visit(dir); err != nil {
			return nil, err
		}
	}
	var units []*unit
	for _, u := range byDir {
		if u != nil {
			units = append(units, u)
		}
	}
	slices.SortFunc(units, func(a, b *unit) int { return strings.Compare(a.f.path, b.f.path) })
	return units, nil
}

// foreign are the packages that aren't units, as export data has them.
type foreign map[string]*packages.Package

// exported loads what units import, and stubs where there are any.
func exported(ctx context.Context, cfg Config, s *sources, units []*unit, stubs bool) (foreign, error) {
	wanted := map[string]bool{}
	if stubs {
		for _, path := range stubImports {
			wanted[path] = true
		}
	}
	for _, u := range units {
		for _, path := range u.f.imported() {
			if u.imports[path] == nil && path != "C" && path != "unsafe" {
				wanted[path] = true
			}
		}
	}
	packagesLoads++
	loaded, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedImports | packages.NeedTypes,
		Context: ctx, Dir: cfg.Dir, Fset: s.fset, BuildFlags: buildFlags(cfg.Tags),
		Env: append(slices.Clip(cfg.Env), "GOPACKAGESDRIVER=off"),
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			// Only of packages that don't compile.
			return parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.AllErrors)
		},
	}, sortedKeys(wanted)...)
	if err != nil {
		return nil, plain(err)
	}
	out := foreign{}
	for _, p := range loaded {
		out[p.PkgPath] = p
	}
	return out, nil
}

// find is the importer of what isn't a unit.
func (f foreign) find(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := f[path]
	switch {
	case p == nil:
		return nil, errors.New("the go command doesn't find it")
	case p.Types != nil && p.Name != "" && p.Types.Complete():
		return p.Types, nil
	case len(p.Errors) > 0:
		return nil, errors.New(strings.TrimSpace(p.Errors[0].Msg))
	}
	return nil, errors.New("it can't be loaded")
}

// check type-checks u, without bodies: no signature depends on one.
func (u *unit) check(fset *token.FileSet, b *buildSettings, find func(string) (*types.Package, error)) {
	var files []*ast.File
	for _, file := range u.f.files {
		if !file.test && file.ast.Name.Name == u.f.name && b.takes(file) {
			files = append(files, file.ast)
		}
	}
	if u.stub != nil && b.matches(u.f.constraint) {
		files = append(files, u.stub)
	}
	if len(files) == 0 {
		return
	}
	conf := types.Config{
		Importer: importer(find), FakeImportC: true, IgnoreFuncBodies: true,
		Sizes:     types.SizesFor("gc", b.GOARCH),
		GoVersion: goVersion(u.f.module.goVersion),
		Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); ok {
				u.errors = append(u.errors, e)
			}
		},
	}
	// Errors went to conf.Error; what there is of the package is used.
	u.types, _ = conf.Check(u.f.path, fset, files, nil)
}

type importer func(string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

func goVersion(v string) string {
	if v == "" {
		return ""
	}
	return "go" + v
}

// edge is an import of one unit by another.
type edge struct{ from, to *unit }

// cycles are the imports that close a cycle.
func cycles(units []*unit) map[edge]bool {
	cut := map[edge]bool{}
	const open, closed = 1, 2
	state := map[*unit]int{}
	var visit func(u *unit)
	visit = func(u *unit) {
		state[u] = open
		for _, path := range sortedKeys(u.imports) {
			switch dep := u.imports[path]; state[dep] {
			case open:
				cut[edge{u, dep}] = true
			case closed:
			default:
				visit(dep)
			}
		}
		state[u] = closed
	}
	for _, u := range units {
		if state[u] == 0 {
			visit(u)
		}
	}
	return cut
}

func buildFlags(tags string) []string {
	if tags == "" {
		return nil
	}
	return []string{"-tags=" + tags}
}

// plain cuts the go command's own error out of what go/packages wraps around it.
func plain(err error) error {
	text := err.Error()
	if _, after, ok := strings.Cut(text, "stderr: "); ok {
		text = after
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "go: ")
	if strings.Contains(text, "requires go >=") || strings.Contains(text, "requires go 1") {
		return fmt.Errorf("the go command is older than the module: %s", firstLine(text))
	}
	if text == "" {
		return err
	}
	return errors.New(text)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
