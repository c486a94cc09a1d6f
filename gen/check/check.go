// Package check decides whether annotated packages are what authoring allows,
// and describes them in gen/model. It reads syntax and types only; no file, no
// command.
package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// Check describes the packages of res, sorted by path, and returns what is wrong
// with them, those of res.Diagnostics included, sorted, with absolute paths. Nothing
// may be emitted when there is any; the models are whole only when there is none.
func Check(res *load.Result) ([]*model.Package, []diag.Diagnostic) {
	run := &run{
		res: res, diags: slices.Clone(res.Diagnostics),
		byDir: map[string]*checker{}, byPath: map[string]*checker{}, valid: map[types.Type]bool{},
	}
	for _, p := range res.Packages {
		c := &checker{run: run, pkg: p, out: &model.Package{
			Path: p.Path, Name: p.Name, Dir: p.Dir, Module: p.Module, Constraint: p.Constraint, Types: p.Types,
		}}
		c.out.Names = c.names()
		run.checkers = append(run.checkers, c)
		run.byDir[p.Dir], run.byPath[p.Path] = c, c
	}
	for _, c := range run.checkers {
		c.declarations()
	}
	run.namespaces()
	for _, c := range run.checkers {
		c.errorCodes()
		c.generatedNames()
		c.out.Fingerprint = fingerprint(c)
	}
	models := make([]*model.Package, len(run.checkers))
	for i, c := range run.checkers {
		models[i] = c.out
	}
	slices.SortFunc(models, func(a, b *model.Package) int { return cmp.Compare(a.Path, b.Path) })
	return models, diag.Sort(run.diags)
}

// run is one call of Check.
type run struct {
	res      *load.Result
	diags    []diag.Diagnostic
	checkers []*checker
	byDir    map[string]*checker
	byPath   map[string]*checker
	valid    map[types.Type]bool // nothing broken can be reached from these
}

// checker looks at one package.
type checker struct {
	*run
	pkg     *load.Package
	out     *model.Package
	objects map[string]*model.Object // by the type's name
	trays   map[string]*model.Tray   // likewise
	// trayTypes are the names of the structs with //pinned:tray, found by trayNames.
	trayTypes map[string]bool
	homes     map[types.Object]bool // types whose durable fields are bound
	tables    *[]model.Import       // found by errorImports
}

func (r *run) report(d diag.Diagnostic) { r.diags = append(r.diags, d) }

func (r *run) at(pos token.Pos) token.Position { return r.res.Fset.Position(pos) }

// node is where a piece of syntax stands, and how wide it is on its first line.
func (r *run) node(n ast.Node) (token.Position, int) {
	from, to := r.at(n.Pos()), r.at(n.End())
	if from.Line != to.Line {
		return from, 0
	}
	return from, to.Column - from.Column
}

// declarations checks what the directives of the package stand on, objects first.
func (c *checker) declarations() {
	c.objects, c.trays = map[string]*model.Object{}, map[string]*model.Tray{}
	c.homes = map[types.Object]bool{}
	if len(c.pkg.Directives) > 0 && !c.loaded() {
		return
	}
	for _, d := range c.pkg.Directives {
		if d.Verb == "object" {
			c.object(d)
		}
	}
	for _, d := range c.pkg.Directives {
		if d.Verb == "tray" {
			c.tray(d)
		}
	}
	for _, d := range c.pkg.Directives {
		switch d.Verb {
		case "route":
			c.route(d)
		case "handle":
			c.handle(d)
		case "alarm":
			c.alarm(d)
		case "inbox":
			c.inbox(d)
		case "error":
			c.errorDecl(d)
		}
	}
	for _, o := range c.out.Objects {
		markPrimary(o)
		c.patterns(o)
		c.unhandled(o)
	}
	c.generatedMethods()
	c.ungated()
	if len(c.pkg.Directives) > 0 {
		c.stray()
	}
	c.errorsBesideClient()
}

// loaded says whether there are types to look at, and reports why there are none.
func (c *checker) loaded() bool {
	first := c.pkg.Directives[0]
	if c.pkg.Types == nil || !c.declared(first) {
		if c.pkg.Constraint != "" {
			c.report(excluded(c.at(first.Pos), int(first.End-first.Pos), c.pkg.Constraint))
			return false
		}
	}
	if c.pkg.Types == nil {
		c.report(notLoaded(c.at(first.Pos), int(first.End-first.Pos), c.pkg))
		return false
	}
	return true
}

// declared says whether what d stands on took part in the type check.
func (c *checker) declared(d *directive.Directive) bool {
	scope := c.pkg.Types.Scope()
	switch {
	case d.Type != nil:
		return scope.Lookup(d.Type.Name.Name) != nil
	case d.Value != nil:
		return scope.Lookup(d.Value.Names[0].Name) != nil
	case d.Func != nil:
		return scope.Lookup(receiverName(d.Func)) != nil
	}
	return true
}

// file is the one that d stands in.
func (c *checker) file(d *directive.Directive) *load.File {
	for _, f := range c.pkg.Files {
		if f.AST == d.File {
			return f
		}
	}
	return nil
}

// clientFolder is the folder of o's client.
func (c *checker) clientFolder(o *model.Object) string {
	return filepath.Join(c.pkg.Dir, filepath.FromSlash(o.Client))
}

// receiverName is the name of a method's receiver type as it is written.
func receiverName(fn *ast.FuncDecl) string {
	if id, _, _ := receiverOf(fn); id != nil {
		return id.Name
	}
	return ""
}

// receiverOf takes a receiver apart: its type's name, and whether it is a pointer
// and generic.
func receiverOf(fn *ast.FuncDecl) (name *ast.Ident, pointer, generic bool) {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return nil, false, false
	}
	t := ast.Unparen(fn.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t, pointer = ast.Unparen(star.X), true
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t, generic = x.X, true
	case *ast.IndexListExpr:
		t, generic = x.X, true
	}
	name, _ = t.(*ast.Ident)
	return name, pointer, generic
}

// named is the named type behind t, with aliases and one pointer taken away.
func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// is says whether t is the type of that package and name, or an instance of it.
func is(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// isPointer says the same of a pointer to it.
func isPointer(t types.Type, path, name string) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && is(p.Elem(), path, name)
}

const (
	pinnedPath  = "github.com/pinned-go/pinned"
	runtimePath = pinnedPath + "/runtime"
)

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(types.Unalias(t), errorType) }
