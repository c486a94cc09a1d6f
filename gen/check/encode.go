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
	w := &walk{checker: c, pos: pos, width: width, seen: map[visited]bool{}}
	w.visit(t, c.typeName(t), nil)
}

// walk goes through all that a value of a type can hold.
type walk struct {
	*checker
	pos   token.Position
	width int
	seen  map[visited]bool
	// fixed marks what lies in a value of a map, which has no address: methods of
	// pointers don't count there.
	fixed bool
	// request marks a request struct, below whose own fields no query or header
	// tag has a meaning.
	request bool
}

// visited is a type that was walked through, with an address or without.
type visited struct {
	t     types.Type
	fixed bool
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
	if w.seen[visited{t, w.fixed}] {
		return
	}
	w.seen[visited{t, w.fixed}] = true
	cannot := func(why string) {
		w.fail(field, cannotEncode(w.pos, w.width, path, w.typeName(t), why))
	}
	if form := formOf(t); form.any() {
		if why := form.fault(w.fixed); why != "" {
			cannot(why)
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer {
			cannot("")
		}
	case *types.Pointer:
		w.within(false, u.Elem(), path, field)
	case *types.Slice:
		w.within(false, u.Elem(), path+"[]", field)
	case *types.Array:
		w.visit(u.Elem(), path+"[]", field)
	case *types.Map:
		if !mapKey(u.Key()) {
			w.fail(field, badMapKey(w.pos, w.width, path, w.typeName(u.Key())))
		}
		w.within(true, u.Elem(), path+"[]", field)
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

// within visits what lies in something that has an address, or has none.
func (w *walk) within(fixed bool, t types.Type, path string, field *types.Var) {
	before := w.fixed
	w.fixed = fixed
	w.visit(t, path, field)
	w.fixed = before
}

func (w *walk) fields(t types.Type, st *types.Struct, path string, field *types.Var) {
	if hollow(st) {
		w.fail(field, hollowStruct(w.pos, w.width, path, w.typeName(t)))
		return
	}
	w.lost(st, path)
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
		if promotes(f, tag) {
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

// promotes says whether encoding/json takes the fields of an embedded struct for those of
// the struct around it: options behind a comma don't count.
func promotes(f *types.Var, tag reflect.StructTag) bool {
	name, _, _ := strings.Cut(tag.Get("json"), ",")
	return f.Embedded() && name == ""
}

// marshals says whether a type has its own form in JSON.
func marshals(t types.Type) bool { return formOf(t).any() }

// form is how a type has its own form in JSON: which of its methods, or those of its
// pointer, say so.
type form struct {
	t                types.Type
	encodes, decodes *types.Selection // nil: none
	byValue          string           // the method that encodes it without an address; "": none
}

func (f form) any() bool { return f.encodes != nil || f.decodes != nil }

// formOf looks for the methods that encoding/json looks for.
func formOf(t types.Type) form {
	f := form{t: t}
	if types.IsInterface(t) {
		return f
	}
	switch t.(type) {
	case *types.Named, *types.Struct:
	default:
		return f
	}
	values, pointers := types.NewMethodSet(t), types.NewMethodSet(types.NewPointer(t))
	find := func(set *types.MethodSet, json, text string) *types.Selection {
		for _, name := range []string{json, text} {
			if sel := set.Lookup(nil, name); sel != nil && textMethod(types.NewPointer(t), name) {
				return sel
			}
		}
		return nil
	}
	f.encodes = find(pointers, "MarshalJSON", "MarshalText")
	f.decodes = find(pointers, "UnmarshalJSON", "UnmarshalText")
	if sel := find(values, "MarshalJSON", "MarshalText"); sel != nil {
		f.byValue = sel.Obj().Name()
	}
	return f
}

// fault says why a type's own form doesn't hold it whole, or is "". fixed says that the
// value has no address.
func (f form) fault(fixed bool) string {
	switch {
	case f.decodes == nil:
		return "it has " + f.encodes.Obj().Name() + ", and nothing that decodes that again"
	case f.encodes == nil:
		return "it has " + f.decodes.Obj().Name() + ", and nothing that encodes it so"
	case fixed && f.byValue != f.encodes.Obj().Name():
		return f.encodes.Obj().Name() + " has a pointer receiver, which doesn't count in a value of a map: use a map of pointers"
	case "Un"+strings.ToLower(f.encodes.Obj().Name()[:1])+f.encodes.Obj().Name()[1:] != f.decodes.Obj().Name():
		return "it is encoded by " + f.encodes.Obj().Name() + " and decoded by " + f.decodes.Obj().Name() + ", which don't go together"
	}
	for _, sel := range []*types.Selection{f.encodes, f.decodes} {
		if why := hides(f.t, sel); why != "" {
			return why
		}
	}
	return ""
}

// hides says what is lost where a method is that of an embedded field, however deep: all
// other fields on the way to it.
func hides(t types.Type, method *types.Selection) string {
	for way := method.Index(); len(way) > 1; way = way[1:] {
		st := embeddedStruct(t)
		if st == nil {
			return ""
		}
		from := st.Field(way[0])
		for i := range st.NumFields() {
			other := st.Field(i)
			if _, skip := jsonName(other, reflect.StructTag(st.Tag(i))); i != way[0] && !skip {
				return method.Obj().Name() + " is that of the embedded " + from.Name() + ", so that " + other.Name() +
					" would be lost: don't embed it, or declare the method"
			}
		}
		t = from.Type()
	}
	return ""
}

// lost refuses fields of embedded structs of which encoding/json takes none, since they
// have one name at one depth. One that a field further out shadows isn't there in Go
// either, for who writes its name.
func (w *walk) lost(st *types.Struct, path string) {
	type found struct {
		f      *types.Var
		path   string
		tagged bool
	}
	type level struct {
		st   *types.Struct
		path string
	}
	taken := map[string]bool{}
	seen := map[*types.Struct]bool{}
	for next := []level{{st, path}}; len(next) > 0; {
		here := map[string][]found{}
		var order []string
		var below []level
		for _, l := range next {
			if seen[l.st] {
				continue
			}
			seen[l.st] = true
			for i := range l.st.NumFields() {
				f, tag := l.st.Field(i), reflect.StructTag(l.st.Tag(i))
				_, query := tag.Lookup("query")
				_, header := tag.Lookup("header")
				if tag.Get("json") == "-" || w.request && (query || header) {
					continue
				}
				if promotes(f, tag) && !marshals(types.Unalias(f.Type())) {
					if inner := embeddedStruct(f.Type()); inner != nil {
						below = append(below, level{inner, l.path + "." + f.Name()})
						continue
					}
				}
				name, skip := jsonName(f, tag)
				if skip || taken[name] {
					continue
				}
				explicit, _, _ := strings.Cut(tag.Get("json"), ",")
				if here[name] == nil {
					order = append(order, name)
				}
				here[name] = append(here[name], found{f, l.path, explicit != ""})
			}
		}
		for _, name := range order {
			taken[name] = true
			all := here[name]
			if len(all) < 2 || all[0].path == all[1].path { // those of one struct are reported with it
				continue
			}
			tagged := 0
			for _, a := range all {
				if a.tagged {
					tagged++
				}
			}
			if tagged != 1 {
				w.fail(all[1].f, lostField(w.pos, w.width, all[0].path+"."+all[0].f.Name(), all[1].path+"."+all[1].f.Name(), name))
			}
		}
		next = below
	}
}

// mapKey says whether encoding/json takes keys of that type.
func mapKey(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&(types.IsString|types.IsInteger) != 0 {
		return true
	}
	return textMethod(t, "MarshalText") && hasMethod(t, "UnmarshalText")
}
