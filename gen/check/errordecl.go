package check

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/model"
)

// errorDecl checks a variable or type with //pinned:error.
func (c *checker) errorDecl(d *directive.Directive) {
	status, err := strconv.Atoi(d.Arg("status").Text)
	if d.Bad || err != nil {
		return // the directive's parser said so
	}
	code := d.Arg("code")
	e := &model.ErrorDecl{Code: code.Text, Status: status, Pos: c.at(code.Pos)}
	switch {
	case d.Value != nil:
		id := d.Value.Names[0]
		e.Name = id.Name
		v := c.pkg.Types.Scope().Lookup(id.Name)
		if v == nil {
			if id.Name == "_" {
				c.report(blankError(c.at(id.Pos())))
			} else {
				c.report(notInBuild(c.at(d.Pos), int(d.End-d.Pos), id.Name))
			}
			return
		}
		if c.broken(v.Type(), d.Value) {
			return
		}
		if !types.Implements(v.Type(), errorInterface) {
			c.report(notAnError(c.at(id.Pos()), id.Name, c.typeName(v.Type())))
			return
		}
	case d.Type != nil:
		id := d.Type.Name
		e.Name, e.IsType = id.Name, true
		v, ok := c.pkg.Types.Scope().Lookup(id.Name).(*types.TypeName)
		if !ok {
			c.report(notInBuild(c.at(d.Pos), int(d.End-d.Pos), id.Name))
			return
		}
		t, _ := v.Type().(*types.Named)
		switch {
		case t == nil:
			return
		case t.TypeParams().Len() > 0:
			c.report(genericError(c.at(id.Pos()), id.Name))
			return
		case c.broken(t, d.Type):
			return
		case types.IsInterface(t):
			c.report(interfaceError(c.at(id.Pos()), id.Name))
			return
		case types.Implements(t, errorInterface):
		case types.Implements(types.NewPointer(t), errorInterface):
			e.Pointer = true
		default:
			c.report(notAnError(c.at(id.Pos()), id.Name, "it"))
			return
		}
		c.encodable(c.at(id.Pos()), len(id.Name), t)
	}
	for _, had := range c.out.Errors {
		if had.Name == e.Name {
			c.report(errorTwice(c.at(d.Pos), e.Name).With(had.Pos, "the first"))
			return
		}
	}
	c.out.Errors = append(c.out.Errors, e)
}

// errorsBesideClient refuses errors beside objects whose client is elsewhere: a
// client of theirs could not have the values.
func (c *checker) errorsBesideClient() {
	var away *model.Object
	for _, o := range c.out.Objects {
		if o.Client == "" {
			return
		}
		if away == nil {
			away = o
		}
	}
	if away == nil {
		return
	}
	for _, e := range c.out.Errors {
		c.report(errorBesideObject(e.Pos, len(e.Code), e.Name, away.Client).With(away.Pos, "%s has its client there", away.Name))
	}
}

// codeAt is an error code, and where it is declared.
type codeAt struct {
	code, name string
	pos        token.Position
}

// errorCodes finds the tables to merge, and refuses a code that is there twice.
func (c *checker) errorCodes() {
	seen := map[string]codeAt{}
	for _, e := range c.codes(map[string]bool{}) {
		had, twice := seen[e.code]
		if !twice {
			seen[e.code] = e
			continue
		}
		at := e
		if e.pos.Filename != "" && c.owns(had.pos) && !c.owns(e.pos) {
			at, had = had, e
		}
		c.report(codeTwice(at.pos, len(e.code), e.code, had.name).With(had.pos, "%s has it", had.name))
	}
	c.out.ErrorImports = c.errorImports()
}

// errorImports are the packages imported here whose error table holds something. What
// is in a table to come is told by directives, not by the table's stub.
func (c *checker) errorImports() []model.Import {
	if c.tables != nil {
		return *c.tables
	}
	c.tables = new([]model.Import) // of a cycle, nothing
	var out []model.Import
	for _, imp := range c.imports() {
		has, known := c.pkg.Tables[imp.Path()]
		if other := c.byPath[imp.Path()]; other != nil {
			has, known = len(other.out.Errors) > 0 || len(other.errorImports()) > 0, true
		}
		if !known {
			table := imp.Scope().Lookup("PinnedErrors")
			has = table != nil && is(table.Type(), pinnedPath, "Errors")
		}
		if has {
			out = append(out, model.Import{Path: imp.Path(), Name: imp.Name()})
		}
	}
	slices.SortFunc(out, func(a, b model.Import) int { return cmp.Compare(a.Path, b.Path) })
	c.tables = &out
	return out
}

func (c *checker) owns(pos token.Position) bool {
	return slices.ContainsFunc(c.out.Errors, func(e *model.ErrorDecl) bool { return e.Pos == pos })
}

// codes are those of this package and of all of the run that it imports, its own
// first.
func (c *checker) codes(seen map[string]bool) []codeAt {
	if seen[c.pkg.Path] {
		return nil
	}
	seen[c.pkg.Path] = true
	var out []codeAt
	for _, e := range c.out.Errors {
		out = append(out, codeAt{e.Code, e.Name, e.Pos})
	}
	for _, imp := range c.imports() {
		if other := c.byPath[imp.Path()]; other != nil {
			out = append(out, other.codes(seen)...)
		}
	}
	for _, e := range c.pkg.ImportedErrors {
		if !seen[e.Path+" "+e.Code] && c.byPath[e.Path] == nil {
			seen[e.Path+" "+e.Code] = true
			out = append(out, codeAt{e.Code, e.Name, e.Pos})
		}
	}
	return out
}

// allImports are the packages that the package imports, tests apart.
func (c *checker) allImports() []*types.Package {
	if c.pkg.Types == nil {
		return nil
	}
	return c.pkg.Types.Imports()
}

// imports are the packages that hand-written files import, and those where the
// clients of objects here go.
func (c *checker) imports() []*types.Package {
	wanted := map[string]bool{}
	for _, f := range c.pkg.Files {
		if f.Test {
			continue
		}
		for _, spec := range f.AST.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				wanted[path] = true
			}
		}
	}
	var out []*types.Package
	for _, imp := range c.allImports() {
		if wanted[imp.Path()] {
			out = append(out, imp)
		}
	}
	for _, o := range c.out.Objects {
		if o.ClientPackage.Path == "" || wanted[o.ClientPackage.Path] {
			continue
		}
		wanted[o.ClientPackage.Path] = true
		if other := c.byPath[o.ClientPackage.Path]; other != nil && other.pkg.Types != nil {
			out = append(out, other.pkg.Types)
		}
	}
	return out
}
