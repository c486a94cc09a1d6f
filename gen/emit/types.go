package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// typ writes a type as the author did, aliases included.
func (f *file) typ(t types.Type) *jen.Statement {
	f.checkReachable(t)
	return jen.Id(types.TypeString(t, f.qualify))
}

// checkReachable refuses a type that code in this package can't name.
func (f *file) checkReachable(t types.Type) {
	var obj *types.TypeName
	switch t := t.(type) {
	case *types.Named:
		obj = t.Obj()
	case *types.Alias:
		obj = t.Obj()
	case *types.Pointer:
		f.checkReachable(t.Elem())
		return
	case *types.Slice:
		f.checkReachable(t.Elem())
		return
	default:
		return
	}
	if p := obj.Pkg(); p != nil && p.Path() != f.pkg.Path && !obj.Exported() {
		f.fail(errHidden(t))
	}
}

// zero writes a type's zero value.
func (f *file) zero(t types.Type) *jen.Statement {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return jen.Lit("")
		case u.Info()&types.IsBoolean != 0:
			return jen.False()
		case u.Info()&types.IsNumeric != 0:
			return jen.Lit(0)
		}
	case *types.Struct, *types.Array:
		return f.typ(t).Values()
	}
	return jen.Nil()
}

// signature is the type of an object's method, nil where the model was made
// without one.
func signature(o *model.Object, method string) *types.Signature {
	return methodOf(o.Type, method)
}

// methodOf is the type of a method of *t.
func methodOf(t *types.Named, method string) *types.Signature {
	m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, t.Obj().Pkg(), method)
	if fn, ok := m.(*types.Func); ok {
		return fn.Signature()
	}
	return types.NewSignatureType(nil, nil, nil, nil, nil, false)
}

// signatureTypes are the types of a signature, one by one.
func signatureTypes(sig *types.Signature) []types.Type {
	var ts []types.Type
	for v := range sig.Params().Variables() {
		ts = append(ts, v.Type())
	}
	for v := range sig.Results().Variables() {
		ts = append(ts, v.Type())
	}
	return ts
}

// funcType writes the type of a method expression.
func (f *file) funcType(receiver types.Type, sig *types.Signature) *jen.Statement {
	params := []jen.Code{jen.Op("*").Add(f.typ(receiver))}
	for v := range sig.Params().Variables() {
		if sig.Variadic() && len(params) == sig.Params().Len() {
			params = append(params, jen.Op("...").Add(f.typ(element(v.Type()))))
			break
		}
		params = append(params, f.typ(v.Type()))
	}
	var results []jen.Code
	for v := range sig.Results().Variables() {
		results = append(results, f.typ(v.Type()))
	}
	t := jen.Func().Params(params...)
	switch len(results) {
	case 0:
		return t
	case 1:
		return t.Add(results...)
	}
	return t.Params(results...)
}

// contextName is what the author calls the context of a route's method.
func contextName(o *model.Object, r *model.Route) string {
	if sig := signature(o, r.Func); r.HasContext && sig.Params().Len() > 0 {
		if name := sig.Params().At(0).Name(); name != "" && name != "_" {
			return name
		}
	}
	return "ctx"
}
