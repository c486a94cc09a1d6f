package directive

import (
	"go/ast"
	"go/token"

	"github.com/pinned-go/pinned/gen/diag"
)

// place is where a comment stands.
type place struct {
	kind placeKind
	decl ast.Node // *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec, or nil
	name string   // of the declaration
	// next is the declaration after a detached comment, "" at the file's end.
	next string
}

type placeKind int

const (
	detached placeKind = iota
	onMethod
	onFunction
	onType
	onVariable
	onConstant
	onGroup // of several declarations in parentheses
	onImport
	onPackage
	onField
	onInterfaceMethod
	inBody
	inDecl // elsewhere inside a declaration
	trailing
)

// places knows what each comment group of a file documents.
type places struct {
	fset *token.FileSet
	file *ast.File
	doc  map[*ast.CommentGroup]place
}

func newPlaces(fset *token.FileSet, file *ast.File) *places {
	p := &places{fset: fset, file: file, doc: map[*ast.CommentGroup]place{}}
	p.set(file.Doc, place{kind: onPackage})
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			kind := onFunction
			if decl.Recv != nil {
				kind = onMethod
			}
			p.set(decl.Doc, place{kind: kind, decl: decl, name: decl.Name.Name})
		case *ast.GenDecl:
			p.general(decl)
		}
	}
	return p
}

func (p *places) set(g *ast.CommentGroup, at place) {
	if g != nil {
		p.doc[g] = at
	}
}

func (p *places) general(decl *ast.GenDecl) {
	if decl.Lparen.IsValid() {
		p.set(decl.Doc, place{kind: onGroup, name: decl.Tok.String()})
	}
	for _, spec := range decl.Specs {
		var at place
		var doc, comment *ast.CommentGroup
		switch spec := spec.(type) {
		case *ast.ImportSpec:
			at, doc, comment = place{kind: onImport}, spec.Doc, spec.Comment
		case *ast.TypeSpec:
			at = place{kind: onType, decl: spec, name: spec.Name.Name}
			doc, comment = spec.Doc, spec.Comment
			p.fields(spec.Type)
		case *ast.ValueSpec:
			kind := onVariable
			if decl.Tok == token.CONST {
				kind = onConstant
			}
			at = place{kind: kind, decl: spec, name: spec.Names[0].Name}
			doc, comment = spec.Doc, spec.Comment
			if spec.Type != nil {
				p.fields(spec.Type)
			}
		}
		p.set(doc, at)
		if !decl.Lparen.IsValid() {
			p.set(decl.Doc, at)
		}
		p.set(comment, place{kind: trailing, name: at.name})
	}
}

// fields notes the comments of a struct's fields and an interface's methods.
func (p *places) fields(expr ast.Expr) {
	ast.Inspect(expr, func(n ast.Node) bool {
		var list *ast.FieldList
		kind := onField
		switch n := n.(type) {
		case *ast.StructType:
			list = n.Fields
		case *ast.InterfaceType:
			list, kind = n.Methods, onInterfaceMethod
		default:
			return true
		}
		for _, f := range list.List {
			at := place{kind: kind}
			if len(f.Names) > 0 {
				at.name = f.Names[0].Name
			}
			p.set(f.Doc, at)
			p.set(f.Comment, at)
		}
		return true
	})
}

// of finds the place of a comment in group.
func (p *places) of(group *ast.CommentGroup, pos token.Pos) place {
	if at, ok := p.doc[group]; ok {
		return at
	}
	line := p.fset.Position(pos).Line
	at := place{kind: detached}
	for _, decl := range p.file.Decls {
		switch {
		case decl.Pos() <= pos && pos < decl.End():
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && f.Body.Pos() < pos {
				return place{kind: inBody, name: f.Name.Name}
			}
			return place{kind: inDecl}
		case decl.End() <= pos && p.fset.Position(decl.End()).Line == line:
			return place{kind: trailing, name: declName(decl)}
		case decl.Pos() > pos:
			at.next = declName(decl)
			return at
		}
	}
	return at
}

func declName(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Name.Name
	case *ast.GenDecl:
		if len(decl.Specs) == 0 {
			return ""
		}
		switch spec := decl.Specs[0].(type) {
		case *ast.TypeSpec:
			return spec.Name.Name
		case *ast.ValueSpec:
			return spec.Names[0].Name
		}
	}
	return ""
}

// accepts binds d to the declaration at this place, or says why not.
func (at place) accepts(s *scanner, verb *Verb, d *Directive, pos token.Position, width int) *diag.Diagnostic {
	fail := func(d diag.Diagnostic) *diag.Diagnostic { return &d }
	switch at.kind {
	case detached:
		return fail(isDetached(pos, width, verb, at.next))
	case trailing:
		return fail(isTrailing(pos, width, verb, at.name))
	case inBody:
		return fail(isInBody(pos, width, verb, at.name))
	}
	for _, target := range verb.Targets {
		switch {
		case target == Method && at.kind == onMethod:
			d.Func, _ = at.decl.(*ast.FuncDecl)
			return nil
		case target == Struct && at.kind == onType:
			d.Type, _ = at.decl.(*ast.TypeSpec)
			if _, ok := ast.Unparen(d.Type.Type).(*ast.InterfaceType); ok {
				return fail(wrongPlace(pos, width, verb, "an interface type"))
			}
			if d.Type.Assign.IsValid() {
				return fail(wrongPlace(pos, width, verb, "an alias"))
			}
			return nil
		case target == TypeDecl && at.kind == onType:
			d.Type, _ = at.decl.(*ast.TypeSpec)
			if d.Type.Assign.IsValid() {
				return fail(wrongPlace(pos, width, verb, "an alias"))
			}
			return nil
		case target == Variable && at.kind == onVariable:
			d.Value, _ = at.decl.(*ast.ValueSpec)
			if len(d.Value.Names) > 1 {
				return fail(severalNames(pos, width, verb).
					With(s.at(d.Value.Names[1].Pos()), "the second variable"))
			}
			return nil
		}
	}
	return fail(wrongPlace(pos, width, verb, at.describe()))
}

func (at place) describe() string {
	switch at.kind {
	case onMethod:
		return "a method"
	case onFunction:
		return "a function"
	case onType:
		return "a type"
	case onVariable:
		return "a variable"
	case onConstant:
		return "a constant"
	case onGroup:
		return "a group of declarations"
	case onImport:
		return "an import"
	case onPackage:
		return "the package clause"
	case onField:
		return "a field"
	case onInterfaceMethod:
		return "a method of an interface"
	}
	return "a part of a declaration"
}
