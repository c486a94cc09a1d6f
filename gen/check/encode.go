package check

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
)

// encodable refuses a type that JSON can't hold whole, at a place of the signature,
// with the fields that lead there.
func (c *checker) encodable(pos token.Position, width int, t types.Type) {
	w := &walk{checker: c, pos: pos, width: width, seen: map[types.Type]bool{}}
	w.visit(t, c.typeName(t), nil)
}

// walk goes through all that a value of a type can hold.
type walk struct {
	*checker
	pos   token.Position
	width int
	seen  map[types.Type]bool
	// request marks a request struct, below whose own fields no query or header
	// tag has a meaning.
	request bool
}

// fail reports a part of the type, with the last field on the way to it.
func (w *walk) fail(field *types.Var, d diag.Diagnostic) {
	if field != nil && w.res.Fset.File(field.Pos()) != nil {
		d = d.With(w.at(field.Pos()), "the field")
	}
	w.report(d)
}

func (w *walk) visit(t types.Type, path string, field *types.Var) {
	t = types.Unalias(t)
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	if marshals(t) {
		return
	}
	cannot := func(why string) {
		w.fail(field, cannotEncode(w.pos, w.width, path, w.typeName(t), why))
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer {
			cannot("")
		}
	case *types.Pointer:
		w.visit(u.Elem(), path, field)
	case *types.Slice:
		w.visit(u.Elem(), path+"[]", field)
	case *types.Array:
		w.visit(u.Elem(), path+"[]", field)
	case *types.Map:
		if !mapKey(u.Key()) {
			w.fail(field, badMapKey(w.pos, w.width, path, w.typeName(u.Key())))
		}
		w.visit(u.Elem(), path+"[]", field)
	case *types.Interface:
		if !u.Empty() {
			cannot("what it holds can't be decoded again")
		}
	case *types.Struct:
		w.fields(t, u, path, field)
	case *types.Chan, *types.Signature, *types.Tuple:
		cannot("")
	}
}

func (w *walk) fields(t types.Type, st *types.Struct, path string, field *types.Var) {
	if hollow(st) {
		w.fail(field, hollowStruct(w.pos, w.width, path, w.typeName(t)))
		return
	}
	names := map[string]*types.Var{}
	for i := range st.NumFields() {
		f := st.Field(i)
		tag := reflect.StructTag(st.Tag(i))
		if w.request {
			for _, key := range []string{"query", "header"} {
				if _, ok := tag.Lookup(key); ok {
					w.fail(f, nestedTag(w.pos, w.width, path+"."+f.Name(), key))
				}
			}
		}
		name, skip := jsonName(f, tag)
		if skip {
			continue
		}
		if f.Embedded() && tag.Get("json") == "" {
			if inner := embeddedStruct(f.Type()); inner != nil {
				if _, pointer := types.Unalias(f.Type()).(*types.Pointer); pointer && !f.Exported() {
					w.fail(f, embeddedPointer(w.pos, w.width, path+"."+f.Name(), w.typeName(f.Type())))
					continue
				}
				w.visit(f.Type(), path+"."+f.Name(), f)
				continue
			}
		}
		if had := names[name]; had != nil {
			w.fail(f, sameJSONName(w.pos, w.width, path, had.Name(), f.Name(), name))
			continue
		}
		names[name] = f
		w.visit(f.Type(), path+"."+f.Name(), f)
	}
}

// embeddedStruct is the struct that an embedded field of this type promotes the
// fields of; nil where it is encoded like any other field.
func embeddedStruct(t types.Type) *types.Struct {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// jsonName is a field's name in JSON, and whether encoding/json passes over it.
func jsonName(f *types.Var, tag reflect.StructTag) (name string, skip bool) {
	t := tag.Get("json")
	if t == "-" {
		return "", true
	}
	if !f.Exported() && (!f.Embedded() || embeddedStruct(f.Type()) == nil) {
		return "", true
	}
	name, _, _ = strings.Cut(t, ",")
	if name == "" || !validJSONName(name) {
		name = f.Name()
	}
	return name, false
}

// validJSONName is encoding/json's rule; a tag that breaks it is passed over.
func validJSONName(s string) bool {
	for _, c := range s {
		switch {
		case strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c):
		case c == '"' || c == '\\' || c == ',' || c == '`' || c == '\'' || c < ' ':
			return false
		}
	}
	return s != ""
}

// hollow says whether a struct has fields, and none that anybody else can see.
func hollow(st *types.Struct) bool {
	hidden := false
	for f := range st.Fields() {
		switch {
		case f.Exported(), f.Embedded() && embeddedStruct(f.Type()) != nil:
			return false
		case f.Name() != "_":
			hidden = true
		}
	}
	return hidden
}

// marshals says whether a type has its own form in JSON.
func marshals(t types.Type) bool {
	if types.IsInterface(t) {
		return false
	}
	if _, ok := t.(*types.Named); !ok {
		return false
	}
	p := types.NewPointer(t)
	return textMethod(p, "MarshalJSON") || textMethod(p, "MarshalText") ||
		textMethod(p, "UnmarshalJSON") || textMethod(p, "UnmarshalText")
}

// mapKey says whether encoding/json takes keys of that type.
func mapKey(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&(types.IsString|types.IsInteger) != 0 {
		return true
	}
	return textMethod(t, "MarshalText") && hasMethod(t, "UnmarshalText")
}
