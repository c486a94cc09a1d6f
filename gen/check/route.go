package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/model"
)

// route checks a method with //pinned:route.
func (c *checker) route(d *directive.Directive) {
	o, fn := c.objectMethod(d)
	if fn == nil {
		return
	}
	name := d.Func.Name
	r := &model.Route{
		Func: name.Name, Doc: docLines(d.Func.Doc),
		Method: d.Arg("method").Text, Pattern: d.Arg("pattern").Text,
		Pos: c.at(d.Pos), PatternPos: c.at(d.Arg("pattern").Pos), FuncPos: c.at(name.Pos()),
	}
	if !name.IsExported() {
		c.report(unexportedRoute(c.at(name.Pos()), name.Name))
	}
	if slices.ContainsFunc(hookTable, func(h hook) bool { return h.name == name.Name }) {
		c.report(routeIsHook(c.at(name.Pos()), name.Name))
	}
	segments, problem := parsePattern(r.Pattern)
	if problem != "" {
		c.report(badPattern(r.PatternPos, len(r.Pattern), r.Pattern, problem))
		return
	}
	r.Segments = segments
	s := &signature{checker: c, d: d, o: o, r: r, fn: fn}
	if s.invalid() {
		return
	}
	ok := s.params()
	s.results()
	s.beside()
	s.options()
	if ok {
		s.wildcards()
	}
	o.Routes = append(o.Routes, r)
}

// objectMethod finds the object and the method that a directive stands on; nil where
// something is wrong with them, which is reported.
func (c *checker) objectMethod(d *directive.Directive) (*model.Object, *types.Func) {
	id, pointer, generic := receiverOf(d.Func)
	o := c.receiver(id)
	switch {
	case generic:
		c.report(genericReceiver(c.at(id.Pos()), d.Verb, id.Name))
		return nil, nil
	case o == nil:
		c.noObject(d, id)
		return nil, nil
	case !c.pointerReceiver(d, pointer):
		return nil, nil
	}
	fn := c.declaredMethod(o.Type, d.Func.Name.Name)
	if !c.usable(d, fn) {
		return nil, nil
	}
	if name := d.Func.Name; slices.Contains(reserved, name.Name) {
		c.report(methodHides(c.at(name.Pos()), d.Verb, name.Name, "Object"))
	}
	return o, fn
}

func (c *checker) pointerReceiver(d *directive.Directive, pointer bool) bool {
	if !pointer {
		id, _, _ := receiverOf(d.Func)
		pos, width := c.node(d.Func.Recv.List[0].Type)
		c.report(valueReceiver(pos, width, d.Verb, id.Name).Replace("*" + id.Name))
	}
	return pointer
}

// usable says whether the method of a directive is there, and the directive whole.
func (c *checker) usable(d *directive.Directive, fn *types.Func) bool {
	if fn == nil && !d.Bad {
		c.report(notInBuild(c.at(d.Pos), int(d.End-d.Pos), d.Func.Name.Name))
	}
	return fn != nil && !d.Bad
}

// receiver finds the object that a receiver names, by an alias too.
func (c *checker) receiver(id *ast.Ident) *model.Object {
	if id == nil {
		return nil
	}
	if o := c.objects[id.Name]; o != nil {
		return o
	}
	if obj, ok := c.pkg.Types.Scope().Lookup(id.Name).(*types.TypeName); ok && obj.IsAlias() {
		if n := named(obj.Type()); n != nil && n.Obj().Pkg() == c.pkg.Types {
			return c.objects[n.Obj().Name()]
		}
	}
	return nil
}

// noObject says why a method's receiver is no object.
func (c *checker) noObject(d *directive.Directive, id *ast.Ident) {
	if id == nil {
		return // a syntax error
	}
	diagnostic := receiverNoObject(c.at(d.Pos), int(d.End-d.Pos), d.Verb, d.Func.Name.Name, id.Name)
	obj := c.pkg.Types.Scope().Lookup(id.Name)
	for _, o := range c.out.Objects {
		st, ok := o.Type.Underlying().(*types.Struct)
		if !ok || obj == nil {
			continue
		}
		for f := range st.Fields() {
			if f.Embedded() && named(f.Type()) != nil && named(f.Type()).Obj() == obj {
				diagnostic = promotedMethod(c.at(d.Pos), int(d.End-d.Pos), d.Verb, id.Name, o.Name).
					With(c.at(f.Pos()), "%s embeds %s", o.Name, id.Name)
			}
		}
	}
	c.report(diagnostic)
}

// declaredMethod is a method that is declared on *t or t itself.
func (c *checker) declaredMethod(t *types.Named, name string) *types.Func {
	for m := range t.Methods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// signature is a route's method while it is checked.
type signature struct {
	*checker
	d  *directive.Directive
	o  *model.Object
	r  *model.Route
	fn *types.Func
}

// param is one parameter as it is written.
type param struct {
	name string
	typ  types.Type
	pos  token.Position
	expr ast.Expr
}

func (p param) display() string {
	if p.name == "" {
		return "a parameter"
	}
	return "parameter " + p.name
}

// written pairs the parameters of the syntax with their types.
func (s *signature) written(list *ast.FieldList, tuple *types.Tuple) []param {
	var out []param
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{nil}
		}
		for _, id := range names {
			if len(out) == tuple.Len() {
				return out
			}
			p := param{typ: tuple.At(len(out)).Type(), expr: field.Type, pos: s.at(field.Type.Pos())}
			if id != nil && id.Name != "_" {
				p.name, p.pos = id.Name, s.at(id.Pos())
			}
			out = append(out, p)
		}
	}
	return out
}

// wildcards refuses a name in the pattern that no parameter has.
func (s *signature) wildcards() {
	if s.r.Result.Kind == model.Raw {
		return
	}
	for _, g := range s.r.Segments {
		if g.Kind != model.Wildcard && g.Kind != model.Multi || g.Text == "" {
			continue
		}
		if token.IsKeyword(g.Text) {
			s.report(wildcardIsKeyword(s.r.PatternPos, len(s.r.Pattern), g.Text))
			continue
		}
		if !slices.ContainsFunc(s.r.Params, func(p model.Param) bool {
			return p.Kind == model.PathParam && p.Name == g.Text
		}) {
			s.report(wildcardWithoutParam(s.r.PatternPos, len(s.r.Pattern), g.Text, s.r.Func).
				With(s.r.FuncPos, "the method"))
		}
	}
}

// options checks concurrent, limit= and auth=.
func (s *signature) options() {
	r := s.r
	if _, ok := s.d.Option("concurrent"); ok {
		r.Concurrent = true
	}
	if _, ok := s.d.Option("ungated"); ok {
		r.Ungated = true
	}
	if o, ok := s.d.Option("limit"); ok {
		n, err := directive.ParseLimit(o.Value)
		if err == nil {
			r.Limit = n
		}
		switch {
		case r.Method == "WEBSOCKET", r.Result.Kind == model.Raw:
		case !hasBody(r.Method):
			s.report(limitWithoutBody(s.at(o.Pos), len(o.Key)+1+len(o.Value), r.Method+" requests have none"))
		case s.has(model.ReaderParam) == nil && s.has(model.RequestParam) == nil &&
			(s.has(model.StructParam) == nil || !s.has(model.StructParam).Request.Body):
			s.report(limitWithoutBody(s.at(o.Pos), len(o.Key)+1+len(o.Value), r.Func+" reads none"))
		}
	}
	o, ok := s.d.Option("auth")
	if !ok {
		return
	}
	r.Auth = o.Value
	if o.Value == "none" {
		return
	}
	fn := s.method(s.o, o.Value)
	switch {
	case fn == nil:
		s.report(noAuthMethod(s.at(o.ValuePos), len(o.Value), s.o.Name, o.Value))
	case s.invalidSignature(fn):
	case !matches(fn, authParams, is1(isError)):
		d := wrongAuth(s.at(o.ValuePos), len(o.Value), o.Value)
		if fn.Pkg() == s.pkg.Types {
			d = d.With(s.at(fn.Pos()), "%s is declared here", o.Value)
		}
		s.report(d)
	}
}

// text is a piece of syntax as it stands in its file.
func (s *signature) text(n ast.Node) string {
	f := s.file(s.d)
	return string(f.Src[n.Pos()-f.AST.FileStart : n.End()-f.AST.FileStart])
}

// typeName is a type as a message writes it: by the names of packages.
func (c *checker) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == c.pkg.Types {
			return ""
		}
		return p.Name()
	})
}

func isStruct(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// markPrimary marks the first route of each method, which its client uses.
func markPrimary(o *model.Object) {
	seen := map[string]bool{}
	for _, r := range o.Routes {
		r.Primary = !seen[r.Func]
		seen[r.Func] = true
	}
}
