package emit

import (
	"go/types"
	"net/url"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// primary are the routes that client methods use, one a method.
func primary(o *model.Object) []*model.Route {
	var routes []*model.Route
	for _, r := range o.Routes {
		if r.Primary {
			routes = append(routes, r)
		}
	}
	return routes
}

// method is the signature of a client's method.
type method struct {
	o      *model.Object
	r      *model.Route
	ctx    string
	params []param
}

// param is a parameter of a client's method.
type param struct {
	name string
	typ  *jen.Statement
	// of says which parameter of the object's method it is, nil for those of a
	// raw route.
	of *model.Param
}

// clientMethod gives the signature by which r is called. The parameters have the
// author's names; hidden are names that they can't have, since the function's
// body refers to them.
func (f *file) clientMethod(o *model.Object, r *model.Route, hidden ...string) method {
	l := newLocals(hidden...)
	params := f.clientParams(r, l)
	return method{o: o, r: r, ctx: l.pick(contextName(o, r), "ctx"), params: params}
}

// clientParams are what a caller gives: what the request carries, without what
// the server adds to it.
func (f *file) clientParams(r *model.Route, l locals) []param {
	var params []param
	if r.Result.Kind == model.Raw {
		for _, name := range wildcardNames(r) {
			params = append(params, param{name: l.pick(name), typ: jen.String()})
		}
		return append(params, param{name: l.pick("req"), typ: jen.Op("*").Add(f.from("net/http", "http", "Request"))})
	}
	for i := range r.Params {
		p := &r.Params[i]
		switch p.Kind {
		case model.PathParam:
			params = append(params, param{name: l.pick(p.Name, "arg"), typ: f.typ(p.Type), of: p})
		case model.StructParam:
			params = append(params, param{name: l.pick(p.Name, "req"), typ: f.typ(p.Type), of: p})
		case model.ReaderParam:
			params = append(params, param{name: l.pick(p.Name, "body"), typ: f.from("io", "io", "Reader"), of: p})
		}
	}
	return params
}

// list writes the parameters.
func (f *file) list(m method) []jen.Code {
	list := []jen.Code{jen.Id(m.ctx).Add(f.context())}
	for _, p := range m.params {
		list = append(list, jen.Id(p.name).Add(p.typ.Clone()))
	}
	return list
}

// results writes what the method returns.
func (f *file) results(m method) jen.Code {
	r := m.r.Result
	pair := func(t jen.Code) jen.Code { return jen.Params(t, jen.Error()) }
	switch r.Kind {
	case model.None:
		return jen.Error()
	case model.Reader:
		return pair(f.from("io", "io", "ReadCloser"))
	case model.Response:
		return pair(jen.Op("*").Add(f.pinned("Response")).Index(f.body(r)))
	case model.Seq, model.Seq2:
		return f.from("iter", "iter", "Seq2").Index(jen.List(f.typ(r.Type), jen.Error()))
	case model.Raw:
		return pair(jen.Op("*").Add(f.from("net/http", "http", "Response")))
	case model.Socket:
		in, out := f.messages(m)
		return pair(jen.Op("*").Add(f.pinned("Conn")).Index(jen.List(in, out)))
	}
	return pair(f.typ(r.Type))
}

// body is the type of a response's body at the client.
func (f *file) body(r model.Result) *jen.Statement {
	if r.Body == model.Reader {
		return f.from("io", "io", "ReadCloser")
	}
	return f.typ(r.Type)
}

// messages are what the client of a WEBSOCKET route receives and sends: the
// reverse of what the object does.
func (f *file) messages(m method) (in, out *jen.Statement) {
	t, u := messageTypes(m.r)
	return f.typ(t), f.typ(u)
}

func messageTypes(r *model.Route) (in, out types.Type) {
	for _, p := range r.Params {
		if p.Kind == model.ConnParam {
			return p.Out, p.In
		}
	}
	return types.Typ[types.Invalid], types.Typ[types.Invalid]
}

// calls writes the interface that a reference and a fake have.
func (f *file) calls(o *model.Object) {
	names := f.names.objects[o]
	var methods []jen.Code
	routes := primary(o)
	apart := slices.ContainsFunc(routes, func(r *model.Route) bool { return len(f.doc(r)) > 1 })
	for i, r := range routes {
		m := f.clientMethod(o, r)
		if i > 0 && apart {
			methods = append(methods, jen.Line())
		}
		methods = append(methods, comment(f.doc(r)...), jen.Id(r.Func).Params(f.list(m)...).Add(f.results(m)))
	}
	doc := []string{names.calls + " is what " + article(o.Name) + " answers. " + names.ref + " has it, and *" + names.fake + "."}
	if len(o.Doc) > 0 {
		doc = append(append(doc, ""), o.Doc...)
	}
	f.add(doc, jen.Type().Id(names.calls).Interface(methods...))
	f.add(nil, jen.Var().Defs(
		jen.Id("_").Id(names.calls).Op("=").Id(names.ref).Values(),
		jen.Id("_").Id(names.calls).Op("=").Parens(jen.Op("*").Id(names.fake)).Call(jen.Nil()),
	))
}

// ref writes the type that calls over the wire or in process.
func (f *file) ref(o *model.Object) {
	names := f.names.objects[o]
	routes := primary(o)
	taken := newLocals()
	for _, r := range routes {
		taken[r.Func] = true
	}
	field := taken.pick("ref")
	f.add([]string{names.ref + " is one " + o.Name + ", wherever it lives."},
		jen.Type().Id(names.ref).Struct(jen.Id(field).Add(f.runtime("Ref"))))

	recv := f.receiver(o, "r", "ref")
	for _, r := range routes {
		hidden := append(f.bodyUses(o, r), recv)
		m := f.clientMethod(o, r, hidden...)
		l := newLocals(hidden...)
		l[m.ctx] = true
		for _, p := range m.params {
			l[p.name] = true
		}
		s := sending{call: l.pick("call"), elem: l.pick("v", "value"), index: l.pick("i", "index")}
		f.add(f.doc(r), jen.Func().Params(jen.Id(recv).Id(names.ref)).Id(r.Func).
			Params(f.list(m)...).Add(f.results(m)).BlockFunc(func(g *jen.Group) {
			g.Id(s.call).Op(":=").Id(recv).Dot(field).Dot("Call").Call(jen.Lit(r.Method), f.path(m))
			f.send(g, m, s)
			g.Return(f.do(m, s.call))
		}))
	}
}

// receiver is the name of the receiver in all methods of a generated type: it
// meets no parameter of any.
func (f *file) receiver(o *model.Object, names ...string) string {
	l := newLocals(f.imports.taken()...)
	for _, r := range primary(o) {
		for _, name := range f.bodyUses(o, r) {
			l[name] = true
		}
		m := f.clientMethod(o, r)
		l[m.ctx] = true
		for _, p := range m.params {
			l[p.name] = true
		}
	}
	return l.pick(names...)
}

// path is the expression of a call's path: literals as they are escaped, and the
// parameters.
func (f *file) path(m method) *jen.Statement {
	var parts []jen.Code
	text := ""
	value := func(escape string, name string) {
		value, plain := f.argument(m, name)
		if !plain {
			value = f.runtime(escape).Call(value)
		}
		parts = append(parts, jen.Lit(text), value)
		text = ""
	}
	for _, s := range m.r.Segments {
		text += "/"
		switch {
		case s.Kind == model.Literal:
			text += url.PathEscape(s.Text)
		case s.Kind == model.Wildcard:
			value("Escape", s.Text)
		case s.Kind == model.Multi && s.Text != "":
			value("EscapeRest", s.Text)
		}
	}
	if text != "" {
		parts = append(parts, jen.Lit(text))
	}
	path := jen.Add(parts[0])
	for _, part := range parts[1:] {
		path.Op("+").Add(part)
	}
	return path
}

// argument is a path parameter's value as text, and whether that is plain: it
// never needs escaping.
func (f *file) argument(m method, wildcard string) (text *jen.Statement, plain bool) {
	for i, p := range m.params {
		switch {
		case p.of == nil && i < len(m.params)-1 && wildcardNames(m.r)[i] == wildcard:
			return jen.Id(p.name), false
		case p.of != nil && p.of.Kind == model.PathParam && p.of.Name == wildcard:
			kind := p.of.Scalar.Kind
			return f.format(p.of.Scalar, jen.Id(p.name)), kind == model.Int || kind == model.Uint || kind == model.Bool
		}
	}
	f.fail(errNoParameter(m.r.Pattern, wildcard))
	return jen.Lit(""), true
}

// sending are the locals of a client's method.
type sending struct {
	call        string // the runtime.Request
	elem, index string // of a slice
}

// send writes what goes along with a call: fields, then the body.
func (f *file) send(g *jen.Group, m method, s sending) {
	for _, p := range m.params {
		if p.of == nil {
			continue
		}
		switch p.of.Kind {
		case model.StructParam:
			req := p.of.Request
			if req.Pointer && len(req.Bound) > 0 {
				g.If(jen.Id(p.name).Op("==").Nil()).
					Block(jen.Id(p.name).Op("=").Op("&").Add(f.typ(req.Type)).Values())
			}
			f.encodeFields(g, s, p.name, req)
			if req.Body {
				g.Id(s.call).Dot("JSON").Call(jen.Id(p.name))
			}
		case model.ReaderParam:
			g.Id(s.call).Dot("Body").Call(jen.Id(p.name))
		}
	}
}

// do is the call itself.
func (f *file) do(m method, call string) *jen.Statement {
	args := []jen.Code{jen.Id(m.ctx), jen.Id(call)}
	r := m.r.Result
	switch r.Kind {
	case model.None:
		return f.runtime("DoNone").Call(args...)
	case model.Reader:
		return f.runtime("Do").Index(f.from("io", "io", "ReadCloser")).Call(args...)
	case model.Response:
		return f.runtime("DoResponse").Index(f.body(r)).Call(args...)
	case model.Seq, model.Seq2:
		return f.runtime("Elements").Index(f.typ(r.Type)).Call(args...)
	case model.Raw:
		return f.runtime("DoRaw").Call(append(args, jen.Id(m.params[len(m.params)-1].name))...)
	case model.Socket:
		in, out := f.messages(m)
		return f.runtime("DialSocket").Index(jen.List(in, out)).Call(args...)
	}
	return f.runtime("Do").Index(f.typ(r.Type)).Call(args...)
}

// article says "a Room" or "an Order".
func article(name string) string {
	if strings.ContainsAny(name[:1], "AEIOU") {
		return "an " + name
	}
	return "a " + name
}
