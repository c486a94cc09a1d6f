package check

import (
	"go/types"
)

// beside refuses types of signatures that are declared in the object's package while
// its client is in another: that one is imported here, so it can't import this.
func (s *signature) beside() {
	if s.o.Client == "" {
		return
	}
	sig := s.fn.Signature()
	for _, list := range [][]param{
		s.written(s.d.Func.Type.Params, sig.Params()), s.written(s.d.Func.Type.Results, sig.Results()),
	} {
		for _, p := range list {
			if obj := s.declaredHere(p.typ); obj != nil {
				pos, width := s.node(p.expr)
				d := besideObject(pos, width, obj.Name(), s.o.Name, s.o.Client)
				s.report(d.With(s.at(obj.Pos()), "%s is declared here", obj.Name()))
			}
		}
	}
}

// declaredHere finds a type of this package that writing t needs the name of.
func (s *signature) declaredHere(t types.Type) types.Object {
	switch t := t.(type) {
	case *types.Alias:
		if t.Obj().Pkg() == s.pkg.Types {
			return t.Obj()
		}
		return s.arguments(t.TypeArgs())
	case *types.Named:
		if t.Obj().Pkg() == s.pkg.Types {
			return t.Obj()
		}
		return s.arguments(t.TypeArgs())
	case *types.Pointer:
		return s.declaredHere(t.Elem())
	case *types.Slice:
		return s.declaredHere(t.Elem())
	case *types.Array:
		return s.declaredHere(t.Elem())
	case *types.Map:
		if obj := s.declaredHere(t.Key()); obj != nil {
			return obj
		}
		return s.declaredHere(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if obj := s.declaredHere(f.Type()); obj != nil {
				return obj
			}
		}
	}
	return nil
}

func (s *signature) arguments(list *types.TypeList) types.Object {
	for t := range list.Types() {
		if obj := s.declaredHere(t); obj != nil {
			return obj
		}
	}
	return nil
}
