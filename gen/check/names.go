package check

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"

	"github.com/pinned-go/pinned/gen/model"
)

// names are what hand-written files declare at package scope, tests of the same
// package included, and what they call their imports.
func (c *checker) names() map[string]token.Position {
	names := map[string]token.Position{}
	add := func(id *ast.Ident) {
		if _, had := names[id.Name]; !had && id.Name != "_" {
			names[id.Name] = c.at(id.Pos())
		}
	}
	for _, f := range c.pkg.Files {
		if f.AST.Name.Name != c.pkg.Name {
			continue // an external test, or a file that isn't part of the package
		}
		for _, decl := range f.AST.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Name.Name != "init" {
					add(decl.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						add(spec.Name)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							add(id)
						}
					}
				}
			}
		}
	}
	for _, f := range c.pkg.Files {
		if f.AST.Name.Name == c.pkg.Name {
			c.importNames(f.AST, names)
		}
	}
	return names
}

// importNames adds what a file calls its imports, and all that it imports with a
// dot.
func (c *checker) importNames(f *ast.File, names map[string]token.Position) {
	for _, spec := range f.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		var found []string
		switch {
		case spec.Name != nil && spec.Name.Name == ".":
			for _, imp := range c.allImports() {
				if imp.Path() == importPath {
					found = append(found, slices.DeleteFunc(imp.Scope().Names(), func(name string) bool {
						return !token.IsExported(name)
					})...)
				}
			}
		case spec.Name != nil:
			found = append(found, spec.Name.Name)
		default:
			name := path.Base(importPath)
			for _, imp := range c.allImports() {
				if imp.Path() == importPath {
					name = imp.Name()
				}
			}
			found = append(found, name)
		}
		for _, name := range found {
			if _, had := names[name]; !had && name != "_" {
				names[name] = c.at(spec.Pos())
			}
		}
	}
}

// generated is a name that the output declares.
type generated struct {
	name string
	why  string // what it is for
	pos  token.Position
}

// generatedNames refuses names of the output that are taken, by hand-written code
// or by another of its own.
func (c *checker) generatedNames() {
	var all []generated
	add := func(pos token.Position, why string, names ...string) {
		for _, name := range names {
			all = append(all, generated{name, why, pos})
		}
	}
	objects := slices.Concat(c.out.Objects, c.out.Clients)
	var first token.Position
	switch {
	case len(objects) > 0:
		first = objects[0].Pos
	case len(c.out.Errors) > 0:
		first = c.out.Errors[0].Pos
	case len(c.out.Trays) > 0:
		first = c.out.Trays[0].Pos
	default:
		return
	}
	add(first, "the error table", "PinnedErrors")
	if len(c.out.Objects) > 0 {
		add(first, "registration", "Register")
	}
	for _, t := range c.out.Trays {
		add(t.Pos, t.Name, t.Class(), t.Migrate())
	}
	clients := false
	for _, o := range objects {
		if o.Package == c.pkg.Path {
			add(o.Pos, o.Name, "Setup"+o.Name)
		}
		if c.clientHere(o) {
			clients = true
			add(o.Pos, o.Name, o.Name+"Ref", o.Name+"Calls", "Fake"+o.Name)
		}
	}
	if clients {
		add(first, "the client", "Client", "NewClient", "InProcess", "From", "NewFake", "Fakes")
	}
	taken := map[string]generated{}
	for _, g := range all {
		if pos, ok := c.out.Names[g.name]; ok {
			c.report(nameTaken(pos, g.name).With(g.pos, "generated for %s", g.why))
			continue
		}
		if had, ok := taken[g.name]; ok {
			c.report(nameGeneratedTwice(g.pos, g.name, had.why, g.why).With(had.pos, "%s", had.why))
			continue
		}
		taken[g.name] = g
	}
	c.clientMethods(objects)
}

func (c *checker) clientHere(o *model.Object) bool {
	if o.Package == c.pkg.Path {
		return o.Client == ""
	}
	return true
}

// clientMethods refuses two objects whose clients would be one method of Client: a
// folder that gets the clients of two packages.
func (c *checker) clientMethods(objects []*model.Object) {
	seen := map[string]*model.Object{}
	for _, o := range objects {
		if !c.clientHere(o) {
			continue
		}
		if had := seen[o.Name]; had != nil {
			c.report(clientTwice(o.Pos, o.Name, o.Client).With(had.Pos, "the first"))
			continue
		}
		seen[o.Name] = o
	}
}
