package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// suffix is how the runtime's parser and formatter of a kind are called.
func suffix(k model.ScalarKind) string {
	switch k {
	case model.Int:
		return "Int"
	case model.Uint:
		return "Uint"
	case model.Float:
		return "Float"
	case model.Bool:
		return "Bool"
	case model.Text:
		return "Text"
	default:
		return "String"
	}
}

// parser is the function that reads a scalar from text.
func (f *file) parser(s model.Scalar) *jen.Statement {
	return f.runtime(suffix(s.Kind)).Index(f.typ(s.Type))
}

// format writes a scalar's value v as text. v must be addressable where
// MarshalText needs a pointer.
func (f *file) format(s model.Scalar, v *jen.Statement) *jen.Statement {
	switch {
	case s.Kind == model.String && types.Identical(s.Type, types.Typ[types.String]):
		return v
	case s.Kind == model.Text && s.PointerText:
		v = jen.Op("&").Add(v)
	}
	return f.runtime("Format" + suffix(s.Kind)).Call(v)
}

// isSet is the condition under which a field's value v isn't zero.
func (f *file) isSet(s model.Scalar, v *jen.Statement) *jen.Statement {
	switch s.Kind {
	case model.Bool:
		return v
	case model.String:
		return v.Op("!=").Lit("")
	case model.Int, model.Uint, model.Float:
		return v.Op("!=").Lit(0)
	}
	if m, _, _ := types.LookupFieldOrMethod(s.Type, true, nil, "IsZero"); m != nil && isZeroMethod(m) {
		return jen.Op("!").Add(v).Dot("IsZero").Call()
	}
	switch s.Type.Underlying().(type) {
	case *types.Struct, *types.Array:
		if !types.Comparable(s.Type) {
			return jen.Op("!").Add(f.from("reflect", "reflect", "ValueOf")).Call(v).Dot("IsZero").Call()
		}
		return v.Op("!=").Parens(f.zero(s.Type))
	}
	return v.Op("!=").Add(f.zero(s.Type))
}

func isZeroMethod(m types.Object) bool {
	fn, ok := m.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 &&
		types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool])
}
