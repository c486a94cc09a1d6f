package load

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// is says whether an expression names a type of a package, or a pointer to it, or an
// instance.
func (s *stub) is(file *file, t ast.Expr, importPath, name string) bool {
	t = ast.Unparen(t)
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	switch t := t.(type) {
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		return ok && t.Sel.Name == name && slices.ContainsFunc(importsNamed(file.ast, x.Name), func(i *ast.ImportSpec) bool {
			return importOf(i) == importPath
		})
	case *ast.Ident:
		return t.Name == name && slices.ContainsFunc(file.ast.Imports, func(i *ast.ImportSpec) bool {
			return i.Name != nil && i.Name.Name == "." && importOf(i) == importPath
		})
	}
	return false
}

func indices(t ast.Expr) []ast.Expr {
	t = ast.Unparen(t)
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		return []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		return x.Indices
	}
	return nil
}

// importsNamed are the imports of a file that may have a name: those that give it, or
// else those whose path ends in it, or else all that give none, since a package
// need not be called as its folder.
func importsNamed(file *ast.File, name string) []*ast.ImportSpec {
	var guess, unnamed []*ast.ImportSpec
	for _, spec := range file.Imports {
		switch {
		case spec.Name != nil && spec.Name.Name == name:
			return []*ast.ImportSpec{spec}
		case spec.Name != nil:
		case guessName(importOf(spec)) == name:
			guess = append(guess, spec)
		default:
			unnamed = append(unnamed, spec)
		}
	}
	if guess != nil {
		return guess
	}
	return unnamed
}

// guessName is what the package of a path is probably called.
func guessName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && path.Dir(importPath) != "." {
		base = path.Base(path.Dir(importPath))
	}
	if i := strings.LastIndex(base, ".v"); i > 0 {
		base = base[:i]
	}
	return strings.TrimPrefix(base, "go-")
}

// expr writes a type's expression as it stands, for the stub's file: imports come
// along, under another name where two files disagree, and the client's own
// package loses its qualifier.
func (s *stub) expr(file *file, t ast.Expr) string {
	for _, spec := range file.ast.Imports {
		if spec.Name != nil && spec.Name.Name == "." && importOf(spec) != s.target.path {
			s.dots[importOf(spec)] = true
		}
	}
	var b strings.Builder
	at := t.Pos()
	text := func(from, to token.Pos) []byte {
		return file.src[from-file.ast.FileStart : to-file.ast.FileStart]
	}
	ast.Inspect(t, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok {
			b.Write(text(at, x.Pos()))
			if name := s.importFor(file.ast, x.Name); name != "" {
				b.WriteString(name + ".")
			}
			at = sel.Sel.Pos()
		}
		return false
	})
	b.Write(text(at, t.End()))
	return b.String()
}

// importFor makes the stub import what a file imports as name, and returns the name
// there, "" where it is the stub's own package.
func (s *stub) importFor(file *ast.File, name string) string {
	specs := importsNamed(file, name)
	for _, spec := range specs {
		importPath := importOf(spec)
		if importPath == s.target.path {
			return ""
		}
		if len(specs) == 1 || guessName(importPath) == name {
			return s.take(name, importPath)
		}
	}
	for _, spec := range specs { // one of them is called that
		s.unnamed[importOf(spec)] = true
	}
	return name
}

// take notes a named import.
func (s *stub) take(name, importPath string) string {
	for ; ; name += "_" {
		if had, ok := s.imports[name]; !ok || had == importPath {
			s.imports[name] = importPath
			return name
		}
	}
}
