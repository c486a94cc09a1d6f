package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// fake writes the type that tests put in an object's place.
func (f *file) fake(o *model.Object) {
	names := f.names.objects[o]
	routes := primary(o)
	var fields []jen.Code
	for _, r := range routes {
		m := f.clientMethod(o, r)
		fields = append(fields, jen.Id(names.funcField[r.Func]).Func().Params(f.list(m)...).Add(f.results(m)))
	}
	f.add([]string{names.fake + " is " + article(o.Name) + " for tests: set what the test needs, the rest fails."},
		jen.Type().Id(names.fake).Struct(fields...))

	recv := f.receiver(o, "f", "fake")
	for _, r := range routes {
		field := names.funcField[r.Func]
		m := f.clientMethod(o, r, append(f.bodyUses(o, r), recv)...)
		args := []jen.Code{jen.Id(m.ctx)}
		for _, p := range m.params {
			args = append(args, jen.Id(p.name))
		}
		f.add([]string{r.Func + " calls " + field + "."},
			jen.Func().Params(jen.Id(recv).Op("*").Id(names.fake)).Id(r.Func).Params(f.list(m)...).Add(f.results(m)).Block(
				jen.If(jen.Id(recv).Dot(field).Op("==").Nil()).Block(f.unset(m, names.fake+"."+field)),
				jen.Return(jen.Id(recv).Dot(field).Call(args...)),
			))
	}
}

// unset is what a fake's method returns whose func isn't set.
func (f *file) unset(m method, what string) jen.Code {
	err := f.runtime("FakeUnset").Call(jen.Lit(what))
	r := m.r.Result
	switch r.Kind {
	case model.None:
		return jen.Return(err)
	case model.Reader, model.Response, model.Raw, model.Socket:
		return jen.Return(jen.Nil(), err)
	case model.Seq, model.Seq2:
		yield := newLocals(identifiers(r.Type)...).pick("yield")
		return jen.Return(jen.Func().Params(
			jen.Id(yield).Func().Params(f.typ(r.Type), jen.Error()).Bool(),
		).Block(jen.Id(yield).Call(f.zero(r.Type), err)))
	}
	return jen.Return(f.zero(r.Type), err)
}
