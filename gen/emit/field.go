package emit

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// step is one selector of a bound field's path.
type step struct {
	name    string
	pointer types.Type // the struct that an embedded pointer leads to, or nil
}

// steps follows a field's path through the struct.
func steps(req *model.Request, path []string) []step {
	out := make([]step, len(path))
	t := req.Type
	for i, name := range path {
		out[i].name = name
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for v := range s.Fields() {
			if v.Name() != name {
				continue
			}
			t = v.Type()
			if p, ok := types.Unalias(t).(*types.Pointer); ok && i+1 < len(path) {
				t = p.Elem()
				out[i].pointer = t
			}
		}
	}
	return out
}

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
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok || i >= s.NumFields() {
			return nil
		}
		names = append(names, s.Field(i).Name())
		t = s.Field(i).Type()
	}
	return names
}

// pointers are the embedded pointers on the way to a field, each by the
// selectors that lead to it.
func pointers(req *model.Request, field model.Field) (paths [][]string, structs []types.Type) {
	for i, s := range steps(req, field.Path) {
		if s.pointer != nil {
			paths = append(paths, field.Path[:i+1])
			structs = append(structs, s.pointer)
		}
	}
	return paths, structs
}

// decodeFields writes the reading of bound fields into the struct in v.
func (f *file) decodeFields(g *jen.Group, c, v string, req *model.Request) {
	made := map[string]bool{}
	for _, field := range req.Bound {
		paths, structs := pointers(req, field)
		for i, path := range paths {
			if key := strings.Join(path, "."); !made[key] {
				made[key] = true
				p := f.selector(v, req, path)
				make := p.Clone().Op("=").Op("&").Add(f.typ(structs[i])).Values()
				if req.Body { // which may have filled it already
					g.If(p.Clone().Op("==").Nil()).Block(make)
				} else {
					g.Add(make)
				}
			}
		}
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
func (f *file) encodeFields(g *jen.Group, call, elem, v string, req *model.Request) {
	for i := 0; i < len(req.Bound); {
		// Fields behind the same embedded pointers stand in one if.
		paths, _ := pointers(req, req.Bound[i])
		end := i + 1
		for ; end < len(req.Bound); end++ {
			if next, _ := pointers(req, req.Bound[end]); !slices.EqualFunc(next, paths, slices.Equal) {
				break
			}
		}
		write := func(g *jen.Group) {
			for _, field := range req.Bound[i:end] {
				f.encodeField(g, call, elem, f.selector(v, req, field.Path), field)
			}
		}
		if len(paths) > 0 {
			cond := f.selector(v, req, paths[0]).Op("!=").Nil()
			for _, path := range paths[1:] {
				cond = cond.Op("&&").Add(f.selector(v, req, path)).Op("!=").Nil()
			}
			g.If(cond).BlockFunc(write)
		} else {
			write(g)
		}
		i = end
	}
}

func (f *file) encodeField(g *jen.Group, call, elem string, value *jen.Statement, field model.Field) {
	method := "Query"
	if field.In == "header" {
		method = "Header"
	}
	send := func(text *jen.Statement) jen.Code {
		return jen.Id(call).Dot(method).Call(jen.Lit(field.Name), text)
	}

	s := field.Scalar
	byPointer := s.Kind == model.Text && s.PointerText
	switch {
	case s.Slice && byPointer:
		g.For(jen.Id(elem).Op(":=").Range().Add(value.Clone())).
			Block(send(f.format(s, value.Clone().Index(jen.Id(elem)))))
	case s.Slice:
		g.For(jen.List(jen.Id("_"), jen.Id(elem)).Op(":=").Range().Add(value)).
			Block(send(f.format(s, jen.Id(elem))))
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
