package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// serveKey tells the routes of a method apart that need a function each: the
// order of the wildcards and what is read from the body differ.
func serveKey(r *model.Route) string {
	body := slices.ContainsFunc(r.Params, func(p model.Param) bool { return p.Request != nil && p.Request.Body })
	return fmt.Sprint(r.Func, wildcardNames(r), body)
}

// wildcardNames are those of a pattern that give a value, in its order.
func wildcardNames(r *model.Route) []string {
	var names []string
	for _, s := range r.Segments {
		if s.Kind == model.Wildcard || s.Kind == model.Multi && s.Text != "" {
			names = append(names, s.Text)
		}
	}
	return names
}

// serveAll writes the function of each route, once for those that share it.
func (f *file) serveAll(o *model.Object) {
	serve := f.names.objects[o].serve
	written := map[string]bool{}
	for i, r := range o.Routes {
		if written[serve[i]] {
			continue
		}
		written[serve[i]] = true
		var routes []string
		for j, other := range o.Routes {
			if serve[j] == serve[i] {
				routes = append(routes, other.Method+" "+other.Pattern)
			}
		}
		f.add([]string{serve[i] + " serves " + strings.Join(routes, " and ") + "."}, f.serve(o, r, serve[i]))
	}
}

// serving is what the function of one route is written with.
type serving struct {
	o             *model.Object
	r             *model.Route
	values        []string // the local that holds each parameter, "" for none
	c, ctx        string
	recv, conn    string
	ok            string
	out, err, seq string
}

func (f *file) serve(o *model.Object, r *model.Route, name string) jen.Code {
	s := f.serving(o, r)
	return jen.Func().Id(name).Params(jen.Id(s.c).Op("*").Add(f.runtime("Call"))).BlockFunc(func(g *jen.Group) {
		f.decode(g, s)
		f.enter(g, s)
		f.answer(g, s)
	})
}

// serving picks the names: the author's for what is decoded, then ours.
func (f *file) serving(o *model.Object, r *model.Route) *serving {
	s := &serving{o: o, r: r}
	l := newLocals(f.bodyUses(o, r)...)
	for _, p := range r.Params {
		name := ""
		switch p.Kind {
		case model.PathParam:
			name = l.pick(p.Name, "arg")
		case model.StructParam:
			name = l.pick(p.Name, "req")
		case model.ConnParam:
			name = l.pick(p.Name, "conn")
			s.conn = name
		}
		s.values = append(s.values, name)
	}
	s.c = l.pick("c", "call")
	s.ctx = l.pick("ctx")
	s.recv = l.pick("r", "object")
	s.ok = l.pick("ok")
	s.out, s.err, s.seq = l.pick("out"), l.pick("err"), l.pick("seq")
	return s
}

// bodyUses are the names that the functions of a route refer to.
func (f *file) bodyUses(o *model.Object, r *model.Route) []string {
	words, ok := f.words[r]
	if !ok {
		words = append(identifiers(routeTypes(o, r)...), o.Name, "bool", "error", "nil")
		f.words[r] = words
	}
	return slices.Concat(words, f.imports.taken())
}

// routeTypes are all types that are written somewhere in a route's functions.
func routeTypes(o *model.Object, r *model.Route) []types.Type {
	ts := append(signatureTypes(signature(o, r.Func)), r.Result.Type)
	for _, p := range r.Params {
		ts = append(ts, p.Type, p.Scalar.Type, p.In, p.Out)
		if p.Request != nil {
			ts = append(ts, p.Request.Type)
			for _, field := range p.Request.Bound {
				ts = append(ts, field.Scalar.Type)
			}
		}
	}
	return ts
}

// decode writes the reading of everything that a request carries.
func (f *file) decode(g *jen.Group, s *serving) {
	wildcards := wildcardNames(s.r)
	var validate []jen.Code
	decoded := false
	for i, p := range s.r.Params {
		v := s.values[i]
		switch p.Kind {
		case model.PathParam:
			decoded = true
			for at, name := range wildcards {
				if name == p.Name {
					g.Id(v).Op(":=").Add(f.runtime("Path")).Call(jen.Id(s.c), jen.Lit(at), jen.Lit(name), f.parser(p.Scalar))
				}
			}
		case model.StructParam:
			g.Var().Id(v).Add(f.typ(p.Request.Type))
			if p.Request.Body {
				decoded = true
				args := []jen.Code{jen.Op("&").Id(v)}
				for _, name := range p.Request.Exclude {
					args = append(args, jen.Lit(name))
				}
				g.Id(s.c).Dot("Body").Call(args...)
			}
			decoded = decoded || len(p.Request.Bound) > 0 || p.Request.Validate
			f.decodeFields(g, s.c, v, p.Request)
			if p.Request.Validate {
				validate = append(validate, jen.Id(s.c).Dot("Validate").Call(jen.Op("&").Id(v)))
			}
		}
	}
	for _, v := range validate {
		g.Add(v)
	}
	if decoded {
		g.If(jen.Op("!").Id(s.c).Dot("Decoded").Call()).Block(jen.Return())
		g.Line()
	}
}

// enter writes the way to the instance, with its turn.
func (f *file) enter(g *jen.Group, s *serving) {
	ctx := "_"
	if s.r.HasContext || s.r.Result.Kind == model.Raw {
		ctx = s.ctx
	}
	for _, p := range s.r.Params {
		if p.Kind == model.RequestParam {
			ctx = s.ctx
		}
	}
	if s.r.Result.Kind == model.Socket {
		out, in := messageTypes(s.r) // the client's view
		g.List(jen.Id(ctx), jen.Id(s.recv), jen.Id(s.conn), jen.Id(s.ok)).Op(":=").
			Add(f.runtime("Accept")).Index(jen.List(jen.Id(s.o.Name), f.typ(in), f.typ(out))).Call(jen.Id(s.c))
	} else {
		g.List(jen.Id(ctx), jen.Id(s.recv), jen.Id(s.ok)).Op(":=").
			Add(f.runtime("Enter")).Index(jen.Id(s.o.Name)).Call(jen.Id(s.c))
	}
	g.If(jen.Op("!").Id(s.ok)).Block(jen.Return())
	g.Line()
}

// invoke is the call of the author's method.
func (f *file) invoke(s *serving) *jen.Statement {
	call := jen.Id(s.recv).Dot(s.r.Func)
	if s.r.Result.Kind == model.Raw {
		return call.Call(jen.Id(s.c).Dot("Raw").Call(jen.Id(s.ctx)))
	}
	var args []jen.Code
	if s.r.HasContext {
		args = append(args, jen.Id(s.ctx))
	}
	for i, p := range s.r.Params {
		arg := jen.Id(s.values[i])
		switch p.Kind {
		case model.StructParam:
			if p.Request.Pointer {
				arg = jen.Op("&").Add(arg)
			}
		case model.ReaderParam:
			arg = jen.Id(s.c).Dot("Reader").Call()
		case model.RequestParam:
			arg = jen.Id(s.c).Dot("Request").Call(jen.Id(s.ctx))
		case model.CallerParam:
			arg = jen.Id(s.c).Dot("Caller").Call()
		}
		args = append(args, arg)
	}
	return call.Call(args...)
}

// answer writes the call and what is done with its results.
func (f *file) answer(g *jen.Group, s *serving) {
	r, invoke := s.r, f.invoke(s)
	failed := jen.Id(s.err)
	switch r.Result.Kind {
	case model.Raw:
		g.Add(invoke)
		g.Id(s.c).Dot("RawDone").Call()

	case model.Socket, model.None:
		end := "AnswerNone"
		if r.Result.Kind == model.Socket {
			end = "Hangup"
		}
		if r.Result.HasError {
			g.Id(s.c).Dot(end).Call(invoke)
			return
		}
		g.Add(invoke)
		g.Id(s.c).Dot(end).Call(jen.Nil())

	case model.Seq, model.Seq2:
		stream := "Stream"
		if r.Result.Kind == model.Seq {
			stream = "StreamSeq"
		}
		if !r.Result.StreamError {
			g.Add(f.runtime(stream)).Call(jen.Id(s.c), invoke)
			return
		}
		g.List(jen.Id(s.seq), failed).Op(":=").Add(invoke)
		g.If(failed.Clone().Op("!=").Nil()).Block(jen.Id(s.c).Dot("AnswerNone").Call(failed.Clone()), jen.Return())
		g.Add(f.runtime(stream)).Call(jen.Id(s.c), jen.Id(s.seq))

	default:
		answer := f.runtime("Answer")
		if r.Result.Kind == model.Response {
			answer = f.runtime("AnswerResponse")
		}
		if !r.Result.HasError {
			g.Add(answer).Call(jen.Id(s.c), invoke, jen.Nil())
			return
		}
		g.List(jen.Id(s.out), failed).Op(":=").Add(invoke)
		g.Add(answer).Call(jen.Id(s.c), jen.Id(s.out), failed)
	}
}
