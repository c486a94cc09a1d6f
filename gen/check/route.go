package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/model"
)

// route checks a method with //pinned:route.
func (c *checker) route(d *directive.Directive) {
	id, pointer, generic := receiverOf(d.Func)
	name := d.Func.Name
	o := c.receiver(id)
	switch {
	case generic:
		c.report(genericReceiver(c.at(id.Pos()), id.Name))
		return
	case o == nil:
		c.noObject(d, id)
		return
	case !pointer:
		pos, width := c.node(d.Func.Recv.List[0].Type)
		c.report(valueReceiver(pos, width, id.Name).Replace("*" + id.Name))
		return
	}
	fn := c.declaredMethod(o, name.Name)
	if fn == nil {
		c.report(notInBuild(c.at(d.Pos), int(d.End-d.Pos), name.Name))
		return
	}
	r := &model.Route{
		Func: name.Name, Doc: docLines(d.Func.Doc),
		Method: d.Arg("method").Text, Pattern: d.Arg("pattern").Text,
		Pos: c.at(d.Pos), PatternPos: c.at(d.Arg("pattern").Pos), FuncPos: c.at(name.Pos()),
	}
	if !name.IsExported() {
		c.report(unexportedRoute(c.at(name.Pos()), name.Name))
	}
	if slices.Contains(reserved, name.Name) {
		c.report(routeHides(c.at(name.Pos()), name.Name))
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

// noObject says why a route's receiver is no object.
func (c *checker) noObject(d *directive.Directive, id *ast.Ident) {
	if id == nil {
		return // a syntax error
	}
	diagnostic := receiverNoObject(c.at(d.Pos), int(d.End-d.Pos), d.Func.Name.Name, id.Name)
	obj := c.pkg.Types.Scope().Lookup(id.Name)
	for _, o := range c.out.Objects {
		st, ok := o.Type.Underlying().(*types.Struct)
		if !ok || obj == nil {
			continue
		}
		for f := range st.Fields() {
			if f.Embedded() && named(f.Type()) != nil && named(f.Type()).Obj() == obj {
				diagnostic = promotedRoute(c.at(d.Pos), int(d.End-d.Pos), id.Name, o.Name).
					With(c.at(f.Pos()), "%s embeds %s", o.Name, id.Name)
			}
		}
	}
	c.report(diagnostic)
}

// declaredMethod is a method that is declared on *o or o itself.
func (c *checker) declaredMethod(o *model.Object, name string) *types.Func {
	for m := range o.Type.Methods() {
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

// params reads the parameters, and says whether they are such that a missing path
// parameter can be told.
func (s *signature) params() bool {
	sig := s.fn.Signature()
	params := s.written(s.d.Func.Type.Params, sig.Params())
	if sig.Variadic() {
		last := params[len(params)-1]
		pos, width := s.node(last.expr)
		s.report(variadic(pos, width, s.r.Func))
		return false
	}
	if s.raw(params) {
		return false
	}
	ok := true
	for i, p := range params {
		if i == 0 && isContext(p.typ) {
			s.r.HasContext = true
			continue
		}
		out, fine := s.param(p)
		ok = ok && fine
		if fine {
			out.Name, out.Type, out.Pos = p.name, p.typ, p.pos
			s.r.Params = append(s.r.Params, out)
		}
	}
	s.once(model.StructParam, "request struct")
	s.once(model.ReaderParam, "io.Reader")
	s.once(model.RequestParam, "*http.Request")
	s.once(model.CallerParam, "pinned.Caller")
	s.once(model.ConnParam, "*pinned.Conn")
	s.socket(ok)
	s.bodies()
	return ok
}

// raw recognises the handler that does all itself.
func (s *signature) raw(params []param) bool {
	writer := slices.IndexFunc(params, func(p param) bool { return is(p.typ, "net/http", "ResponseWriter") })
	if writer < 0 {
		return false
	}
	p := params[writer]
	fits := len(params) == 2 && writer == 0 && isPointer(params[1].typ, "net/http", "Request") &&
		s.fn.Signature().Results().Len() == 0
	switch {
	case !fits:
		pos, width := s.node(p.expr)
		s.report(badRaw(pos, width, s.r.Func))
	case s.r.Method == "WEBSOCKET":
		pos, width := s.node(p.expr)
		s.report(rawSocket(pos, width))
	}
	s.r.Result = model.Result{Kind: model.Raw, Pos: s.r.FuncPos}
	s.r.Params = nil
	for i, kind := range []model.ParamKind{model.WriterParam, model.RequestParam} {
		if i < len(params) {
			s.r.Params = append(s.r.Params, model.Param{Kind: kind, Name: params[i].name, Type: params[i].typ, Pos: params[i].pos})
		}
	}
	return true
}

// param decides what one parameter is.
func (s *signature) param(p param) (model.Param, bool) {
	pos, width := s.node(p.expr)
	fail := func(d diag.Diagnostic) (model.Param, bool) {
		s.report(d)
		return model.Param{}, false
	}
	t := p.typ
	switch {
	case isContext(t):
		return fail(contextNotFirst(pos, width))
	case isPointer(t, "net/http", "Request"):
		return model.Param{Kind: model.RequestParam}, true
	case is(t, "net/http", "Request"):
		return fail(wantPointer(pos, width, "*http.Request").Replace("*" + s.text(p.expr)))
	case is(t, pinnedPath, "Caller"):
		return model.Param{Kind: model.CallerParam}, true
	case isPointer(t, pinnedPath, "Caller"):
		return fail(wantValue(pos, width, "pinned.Caller"))
	case is(t, "io", "Reader"):
		return model.Param{Kind: model.ReaderParam}, true
	case is(t, "io", "ReadCloser"), is(t, "io", "ReadSeeker"):
		return fail(wantReader(pos, width).Replace("io.Reader"))
	case isPointer(t, pinnedPath, "Conn"):
		return s.conn(p)
	case is(t, pinnedPath, "Conn"):
		return fail(wantPointer(pos, width, "*pinned.Conn").Replace("*" + s.text(p.expr)))
	}
	if wild := s.wildcard(p.name); wild != nil {
		scalar, problem := pathScalar(t, wild.Kind == model.Multi)
		if problem != "" {
			return fail(badPathParam(pos, width, p.name, s.typeName(t), problem).
				With(s.r.PatternPos, "the pattern has it"))
		}
		return model.Param{Kind: model.PathParam, Scalar: scalar}, true
	}
	if _, isText := textScalar(t); !isText && isStruct(t) {
		req, ok := s.request(p)
		return model.Param{Kind: model.StructParam, Request: req}, ok
	}
	if _, problem := pathScalar(t, false); problem == "" {
		if p.name == "" {
			return fail(unnamedParam(pos, width, s.typeName(t)))
		}
		return fail(notInPattern(p.pos, len(p.name), p.name, s.r.Pattern).With(s.r.PatternPos, "the pattern"))
	}
	return fail(badParam(pos, width, p.display(), s.typeName(t)))
}

func (s *signature) wildcard(name string) *model.Segment {
	if name == "" {
		return nil
	}
	for i := range s.r.Segments {
		if g := &s.r.Segments[i]; (g.Kind == model.Wildcard || g.Kind == model.Multi) && g.Text == name {
			return g
		}
	}
	return nil
}

// conn reads the messages of a *pinned.Conn[In, Out].
func (s *signature) conn(p param) (model.Param, bool) {
	args := named(p.typ).TypeArgs()
	if args.Len() != 2 {
		return model.Param{}, false // the type checker said so
	}
	out := model.Param{Kind: model.ConnParam, In: args.At(0), Out: args.At(1)}
	pos, width := s.node(p.expr)
	for t := range args.Types() {
		s.encodable(pos, width, t)
	}
	return out, true
}

// once refuses a second parameter of a kind.
func (s *signature) once(kind model.ParamKind, what string) {
	var first *model.Param
	for i := range s.r.Params {
		p := &s.r.Params[i]
		switch {
		case p.Kind != kind:
		case first == nil:
			first = p
		default:
			s.report(paramTwice(p.Pos, len(p.Name), what).With(first.Pos, "the first"))
		}
	}
}

func (s *signature) has(kind model.ParamKind) *model.Param {
	for i := range s.r.Params {
		if s.r.Params[i].Kind == kind {
			return &s.r.Params[i]
		}
	}
	return nil
}

// socket holds a WEBSOCKET route and its conn together. A parameter that wasn't fine
// may have been meant as one.
func (s *signature) socket(fine bool) {
	conn := s.has(model.ConnParam)
	switch {
	case s.r.Method == "WEBSOCKET" && conn == nil && fine:
		s.report(socketNeedsConn(s.r.FuncPos, len(s.r.Func), s.r.Func))
	case s.r.Method != "WEBSOCKET" && conn != nil:
		method := s.d.Arg("method")
		s.report(connNeedsSocket(conn.Pos, len(conn.Name), s.r.Method).
			With(s.at(method.Pos), "the method"))
	}
}

// hasBody says whether requests of a method have one.
func hasBody(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }

// bodies refuses a body that is read twice, or that there isn't.
func (s *signature) bodies() {
	reader, req := s.has(model.ReaderParam), s.has(model.StructParam)
	if reader == nil {
		return
	}
	if !hasBody(s.r.Method) {
		s.report(readerWithoutBody(reader.Pos, len(reader.Name), s.r.Method))
		return
	}
	if req != nil && req.Request.Body {
		s.report(bodyTwice(reader.Pos, len(reader.Name), s.typeName(req.Type)).
			With(req.Pos, "the request struct, a field of which has no tag"))
	}
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
