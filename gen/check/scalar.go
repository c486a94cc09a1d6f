package check

import (
	"fmt"
	"go/types"
	"strconv"
	"time"

	"github.com/pinned-go/pinned/gen/model"
)

// plainScalar is how t is written as text: itself, no pointer and no slice.
func plainScalar(t types.Type) (model.Scalar, string) {
	if s, ok := textScalar(t); ok {
		if !hasMethod(t, "MarshalText") {
			return s, "it has UnmarshalText, but no MarshalText, which clients need"
		}
		return s, ""
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return model.Scalar{}, "it is not a string, a number, a bool or an encoding.TextUnmarshaler"
	}
	s := model.Scalar{Type: t}
	switch b.Kind() {
	case types.String:
		s.Kind = model.String
	case types.Bool:
		s.Kind = model.Bool
	case types.Int, types.Int8, types.Int16, types.Int32, types.Int64:
		s.Kind, s.Bits = model.Int, bits(b.Kind(), types.Int, types.Int8)
	case types.Uint, types.Uint8, types.Uint16, types.Uint32, types.Uint64:
		s.Kind, s.Bits = model.Uint, bits(b.Kind(), types.Uint, types.Uint8)
	case types.Float32:
		s.Kind, s.Bits = model.Float, 32
	case types.Float64:
		s.Kind, s.Bits = model.Float, 64
	default:
		return model.Scalar{}, "it can't be written as text"
	}
	return s, ""
}

// bits counts those of an integer's kind: 0 for the one without a size, then 8 to 64.
func bits(kind, plain, eight types.BasicKind) int {
	if kind == plain {
		return 0
	}
	return 8 << (kind - eight)
}

// textScalar recognises an encoding.TextUnmarshaler.
func textScalar(t types.Type) (model.Scalar, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(n) || !hasMethod(t, "UnmarshalText") {
		return model.Scalar{}, false
	}
	return model.Scalar{Kind: model.Text, Type: t, PointerText: !inValueSet(t, "MarshalText")}, true
}

// hasMethod says whether t or *t has one of encoding's text methods.
func hasMethod(t types.Type, name string) bool {
	return textMethod(types.NewPointer(t), name)
}

func inValueSet(t types.Type, name string) bool { return textMethod(t, name) }

func textMethod(t types.Type, name string) bool {
	fn := types.NewMethodSet(t).Lookup(nil, name)
	if fn == nil {
		return false
	}
	sig, ok := fn.Obj().Type().(*types.Signature)
	if !ok {
		return false
	}
	bytes := func(t types.Type) bool { return bodyKind(t) == model.Bytes }
	switch name {
	case "UnmarshalText", "UnmarshalJSON":
		return sig.Params().Len() == 1 && bytes(sig.Params().At(0).Type()) &&
			sig.Results().Len() == 1 && isError(sig.Results().At(0).Type())
	}
	return sig.Params().Len() == 0 && sig.Results().Len() == 2 &&
		bytes(sig.Results().At(0).Type()) && isError(sig.Results().At(1).Type())
}

// pathScalar is how a path parameter is written.
func pathScalar(t types.Type, multi bool) (model.Scalar, string) {
	if _, ok := types.Unalias(t).(*types.Pointer); ok {
		return model.Scalar{}, "a path parameter is always there, so it is no pointer"
	}
	s, problem := plainScalar(t)
	switch {
	case problem != "":
		return s, problem
	case s.Kind == model.Float:
		return s, "a path parameter is a string, an integer, a bool or an encoding.TextUnmarshaler"
	case multi && s.Kind != model.String:
		return s, "{name...} is the rest of the path, a string"
	}
	return s, ""
}

// fieldScalar is how a field with a query or header tag is written: a scalar, a
// pointer to one, or a slice of them.
func fieldScalar(t types.Type) (model.Scalar, string) {
	if s, problem := plainScalar(t); problem == "" || s.Kind == model.Text {
		return s, problem
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		s, problem := plainScalar(u.Elem())
		s.Pointer = true
		return s, problem
	case *types.Slice:
		s, problem := plainScalar(u.Elem())
		s.Slice = true
		if problem == "" && s.Kind == model.Uint && s.Bits == 8 {
			problem = "a []byte can't be told from a list of numbers: use a string"
		}
		return s, problem
	}
	_, problem := plainScalar(t)
	return model.Scalar{}, problem
}

// badDefault says what is wrong with a default, "" if nothing is. That of an
// encoding.TextUnmarshaler can't be tried here, but for a time.
func badDefault(s model.Scalar, text string) string {
	size := s.Bits
	if size == 0 {
		size = 64
	}
	var err error
	want := ""
	switch s.Kind {
	case model.Int:
		_, err = strconv.ParseInt(text, 10, size)
		want = fmt.Sprintf("an integer of %d bits", size)
	case model.Uint:
		_, err = strconv.ParseUint(text, 10, size)
		want = fmt.Sprintf("an unsigned integer of %d bits", size)
	case model.Float:
		_, err = strconv.ParseFloat(text, size)
		want = "a number"
	case model.Bool:
		_, err = strconv.ParseBool(text)
		want = "true or false"
	case model.Text:
		if is(s.Type, "time", "Time") {
			_, err = time.Parse(time.RFC3339, text)
			want = "a time such as 2006-01-02T15:04:05Z"
		}
	}
	if err != nil {
		return "it must be " + want
	}
	return ""
}
