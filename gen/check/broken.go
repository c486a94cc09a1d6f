package check

import (
	"go/ast"
	"go/types"
	"maps"
	"strings"
)

// invalid says whether the signature can't be trusted since the type checker failed
// on something that it depends on, and reports what it said of that.
func (s *signature) invalid() bool {
	return s.broken(s.fn.Signature(), s.d.Func)
}

// invalidSignature says the same of a method that no directive stands on.
func (c *checker) invalidSignature(fn *types.Func) bool {
	path, _ := c.firstInvalid(fn.Signature())
	if path == nil {
		return false
	}
	if !c.errorsIn(c.declarationOf(path[0])) {
		c.report(badType(c.at(fn.Pos()), len(fn.Name()), fn.Name()))
	}
	return true
}

// broken says whether a type that decl gives has no meaning, or one that can be
// reached from it, and reports why.
func (c *checker) broken(t types.Type, decl ast.Node) bool {
	path, dotted := c.firstInvalid(t)
	if path == nil {
		return false
	}
	found := c.errorsIn(decl)
	for _, at := range path {
		// What is wrong may be another package's.
		if owner := c.ownerOf(at); owner != nil {
			if node := owner.declarationOf(at); node != nil && (owner.errorsIn(node) || owner != c && owner.importErrors(node)) {
				found = true
			}
		}
	}
	if !found {
		found = c.importErrors(decl)
	}
	if !found {
		pos, width := c.node(decl)
		if fn, ok := decl.(*ast.FuncDecl); ok {
			pos, width = c.at(fn.Name.Pos()), len(fn.Name.Name)
		}
		if dotted == "" {
			dotted = "a part of this"
		}
		c.report(badType(pos, width, dotted))
	}
	return true
}

// typeErrors reports those of a declaration, and says whether there are any.
func (c *checker) typeErrors(decl ast.Node) bool {
	return c.errorsIn(decl) || c.importErrors(decl)
}

// errorsIn reports the type checker's errors inside a piece of syntax.
func (c *checker) errorsIn(node ast.Node) bool {
	if node == nil {
		return false
	}
	from, to := c.at(node.Pos()), c.at(node.End())
	found := false
	for _, e := range c.pkg.TypeErrors {
		at := e.Fset.Position(e.Pos)
		if at.Filename != from.Filename || at.Offset < from.Offset || at.Offset >= to.Offset {
			continue
		}
		found = true
		c.report(typeError(at, e.Msg))
	}
	return found
}

// importErrors reports the imports of decl's file that could not be loaded.
func (c *checker) importErrors(decl ast.Node) bool {
	file := c.at(decl.Pos()).Filename
	found := false
	for _, e := range c.pkg.TypeErrors {
		if at := e.Fset.Position(e.Pos); at.Filename == file && strings.HasPrefix(e.Msg, "could not import") {
			found = true
			c.report(typeError(at, e.Msg))
		}
	}
	return found
}

// ownerOf is the checker of the package that declares obj; nil for one that isn't of
// this run.
func (r *run) ownerOf(obj types.Object) *checker {
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	return r.byPath[obj.Pkg().Path()]
}

// declarationOf is the syntax of a type or function of this package that a
// type-checker's object stands for.
func (c *checker) declarationOf(obj types.Object) ast.Node {
	if obj == nil || obj.Pkg() != c.pkg.Types {
		return nil
	}
	pos := c.at(obj.Pos())
	for _, f := range c.pkg.Files {
		if f.Name != pos.Filename {
			continue
		}
		for _, decl := range f.AST.Decls {
			from, to := c.at(decl.Pos()), c.at(decl.End())
			if from.Offset <= pos.Offset && pos.Offset < to.Offset {
				if gen, ok := decl.(*ast.GenDecl); ok {
					return specAt(c, gen, pos.Offset)
				}
				return decl
			}
		}
	}
	return nil
}

func specAt(c *checker, gen *ast.GenDecl, offset int) ast.Node {
	for _, spec := range gen.Specs {
		if c.at(spec.Pos()).Offset <= offset && offset < c.at(spec.End()).Offset {
			return spec
		}
	}
	return gen
}

// firstInvalid looks for a type that the checker gave up on, in t and what can be
// reached from it, and returns the declarations on the way there, nil if there is
// none, and the fields.
func (r *run) firstInvalid(t types.Type) ([]types.Object, string) {
	s := &invalidSearch{run: r, seen: map[types.Type]bool{}}
	if s.visit(t, "") {
		if len(s.path) == 0 {
			s.path = []types.Object{nil}
		}
		return s.path, strings.TrimPrefix(s.dotted, ".")
	}
	maps.Copy(r.valid, s.seen)
	return nil, ""
}

type invalidSearch struct {
	*run
	seen   map[types.Type]bool
	path   []types.Object
	dotted string
}

// own says whether a type is declared in a main module, where code may be broken.
// What else there is comes from packages that were built.
func (r *run) own(obj types.Object) bool {
	if obj.Pkg() == nil {
		return false
	}
	for _, c := range r.checkers {
		if m := c.pkg.Module; obj.Pkg().Path() == m || strings.HasPrefix(obj.Pkg().Path(), m+"/") {
			return true
		}
	}
	return false
}

func (s *invalidSearch) visit(t types.Type, dotted string) bool {
	if s.seen[t] || s.valid[t] {
		return false
	}
	s.seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.Invalid {
			s.dotted = dotted
			return true
		}
	case *types.Alias:
		return s.push(t.Obj(), func() bool { return s.visit(types.Unalias(t), dotted) })
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if s.visit(arg, dotted) {
				return true
			}
		}
		return s.own(t.Obj()) && s.push(t.Obj(), func() bool { return s.visit(t.Underlying(), dotted) })
	case *types.Pointer:
		return s.visit(t.Elem(), dotted)
	case *types.Slice:
		return s.visit(t.Elem(), dotted+"[]")
	case *types.Array:
		return s.visit(t.Elem(), dotted+"[]")
	case *types.Chan:
		return s.visit(t.Elem(), dotted)
	case *types.Map:
		return s.visit(t.Key(), dotted) || s.visit(t.Elem(), dotted+"[]")
	case *types.Struct:
		for f := range t.Fields() {
			if s.visit(f.Type(), dotted+"."+f.Name()) {
				return true
			}
		}
	case *types.Signature:
		return s.tuple(t.Params(), dotted) || s.tuple(t.Results(), dotted)
	}
	return false
}

func (s *invalidSearch) tuple(t *types.Tuple, dotted string) bool {
	for v := range t.Variables() {
		if s.visit(v.Type(), strings.TrimSuffix(dotted+"."+v.Name(), ".")) {
			return true
		}
	}
	return false
}

// push notes a declaration while what it leads to is searched.
func (s *invalidSearch) push(obj types.Object, search func() bool) bool {
	if !search() {
		return false
	}
	s.path = append(s.path, obj)
	return true
}
