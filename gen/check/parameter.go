package check

import (
	"slices"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/model"
)

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
