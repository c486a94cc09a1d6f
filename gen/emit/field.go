package emit

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// selector is a field as one would write it: promoted, where that means the same.
func (f *file) selector(v string, req *model.Request, path []string) *jen.Statement {
	last := path[len(path)-1]
	found, index, _ := types.LookupFieldOrMethod(req.Type, true, f.pkg.Types, last)
	if found != nil && len(index) == len(path) && slices.Equal(namesAt(req.Type, index), path) {
		return jen.Id(v).Dot(last)
	}
	return jen.Id(v).Dot(strings.Join(path, "."))
}

// namesAt are the selectors of an index path.
func namesAt(t types.Type, index []int) []string {
	var names []string
	for _, i := range index {
		s, ok := t.Underlying().(*types.Struct)
		if !ok || i >= s.NumFields() {
			return nil
		}
		names = append(names, s.Field(i).Name())
		t = s.Field(i).Type()
	}
	return names
}

// decodeFields writes the reading of bound fields into the struct in v.
func (f *file) decodeFields(g *jen.Group, c, v string, req *model.Request) {
	for _, field := range req.Bound {
		g.Add(f.selector(v, req, field.Path)).Op("=").Add(f.decodeField(c, field))
	}
}

func (f *file) decodeField(c string, field model.Field) *jen.Statement {
	name := "Query"
	if field.In == "header" {
		name = "Header"
	}
	args := []jen.Code{jen.Id(c), jen.Lit(field.Name), f.parser(field.Scalar)}
	switch {
	case field.Scalar.Slice:
		name += "All"
		if field.Default != nil {
			f.fail(errSliceDefault(field.Name))
		}
	case field.Scalar.Pointer:
		name += "Optional"
	}
	if field.Default != nil {
		args = append(args, jen.Lit(*field.Default))
	}
	return f.runtime(name).Call(args...)
}

// encodeFields writes the sending of bound fields from the struct in v: what is
// zero isn't sent, unless the other side would take a default for it.
func (f *file) encodeFields(g *jen.Group, s sending, v string, req *model.Request) {
	for _, field := range req.Bound {
		f.encodeField(g, s, f.selector(v, req, field.Path), field)
	}
}

func (f *file) encodeField(g *jen.Group, local sending, value *jen.Statement, field model.Field) {
	method := "Query"
	if field.In == "header" {
		method = "Header"
	}
	send := func(text *jen.Statement) jen.Code {
		return jen.Id(local.call).Dot(method).Call(jen.Lit(field.Name), text)
	}

	s := field.Scalar
	byPointer := s.Kind == model.Text && s.PointerText
	switch {
	case s.Slice && byPointer:
		g.For(jen.Id(local.index).Op(":=").Range().Add(value.Clone())).
			Block(send(f.format(s, value.Clone().Index(jen.Id(local.index)))))
	case s.Slice:
		g.For(jen.List(jen.Id("_"), jen.Id(local.elem)).Op(":=").Range().Add(value)).
			Block(send(f.format(s, jen.Id(local.elem))))
	case s.Pointer && byPointer:
		g.If(value.Clone().Op("!=").Nil()).Block(send(f.runtime("FormatText").Call(value)))
	case s.Pointer:
		g.If(value.Clone().Op("!=").Nil()).Block(send(f.format(s, jen.Op("*").Add(value))))
	case field.Default != nil:
		g.Add(send(f.format(s, value)))
	default:
		g.If(f.isSet(s, value.Clone())).Block(send(f.format(s, value)))
	}
}
