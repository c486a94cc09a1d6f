package check

import (
	"go/token"
	"go/types"
	"reflect"
)

// encodableWhole is encodable for a durable value, from which JSON may drop nothing in
// silence: no unexported field.
func (c *checker) encodableWhole(pos token.Position, width int, t types.Type) {
	c.encodable(pos, width, t)
	l := &losses{checker: c, pos: pos, width: width, seen: map[types.Type]bool{}}
	l.visit(t, c.typeName(t))
}

// losses looks for unexported fields.
type losses struct {
	*checker
	pos   token.Position
	width int
	seen  map[types.Type]bool
}

func (l *losses) visit(t types.Type, path string) {
	t = types.Unalias(t)
	if l.seen[t] || marshals(t) {
		return
	}
	l.seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		l.visit(u.Elem(), path)
	case *types.Slice:
		l.visit(u.Elem(), path+"[]")
	case *types.Array:
		l.visit(u.Elem(), path+"[]")
	case *types.Map:
		l.visit(u.Elem(), path+"[]")
	case *types.Struct:
		if !hollow(u) { // encodable has said so
			l.fields(u, path)
		}
	}
}

func (l *losses) fields(st *types.Struct, path string) {
	for i := range st.NumFields() {
		f := st.Field(i)
		tag := reflect.StructTag(st.Tag(i)).Get("json")
		path := path + "." + f.Name()
		switch {
		case tag == "-", f.Name() == "_":
		case f.Exported(), f.Embedded() && embeddedStruct(f.Type()) != nil:
			l.visit(f.Type(), path)
		default:
			d := droppedField(l.pos, l.width, path)
			if l.res.Fset.File(f.Pos()) != nil {
				d = d.With(l.at(f.Pos()), "the field")
			}
			l.report(d)
		}
	}
}
