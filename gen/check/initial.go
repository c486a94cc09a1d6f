package check

import (
	"encoding/json"
	"go/types"
	"reflect"
	"strconv"

	"github.com/pinned-go/pinned/gen/model"
)

// initial reads a default: tag, into JSON.
func (k *keeper) initial(out *model.Durable, tag reflect.StructTag, at spot) {
	text, ok := tag.Lookup("default")
	if !ok {
		return
	}
	pos, width := k.inTag(at, "default")
	fail := func(problem string) { k.report(badInitial(pos, width, problem)) }
	if out.Kind != model.Value {
		fail("it is for a pinned.Value, and not for a pinned." + out.Kind.String())
		return
	}
	s, problem := plainScalar(out.Type)
	switch {
	case problem != "":
		fail(k.typeName(out.Type) + " can't have one: it is no string, number or bool, and not written as text")
		return
	case s.Kind == model.Text && !textInJSON(out.Type), s.Kind != model.Text && marshals(types.Unalias(out.Type)):
		fail(k.typeName(out.Type) + " can't have one: it has a JSON of its own")
		return
	}
	if bad := badDefault(s, text); bad != "" {
		fail(text + " doesn't fit " + k.typeName(out.Type) + ": " + bad)
		return
	}
	if out.Default = defaultJSON(s, text); out.Default == "" {
		fail(text + " can't be encoded")
	}
}

// textInJSON says whether encoding/json writes a type as its text.
func textInJSON(t types.Type) bool {
	p := types.NewPointer(t)
	if is(t, "time", "Time") {
		return true // its JSON is its text
	}
	return textMethod(p, "MarshalText") && !textMethod(p, "MarshalJSON") && !textMethod(p, "UnmarshalJSON")
}

// defaultJSON is the JSON of a text that badDefault has found right. Numbers are
// written as encoding/json does, so that they compare.
func defaultJSON(s model.Scalar, text string) string {
	var v any = text
	switch s.Kind {
	case model.Int:
		v, _ = strconv.ParseInt(text, 10, 64)
	case model.Uint:
		v, _ = strconv.ParseUint(text, 10, 64)
	case model.Float:
		f, _ := strconv.ParseFloat(text, s.Bits)
		v = f
		if s.Bits == 32 {
			v = float32(f)
		}
	case model.Bool:
		v, _ = strconv.ParseBool(text)
	}
	raw, err := json.Marshal(v)
	if err != nil { // of a float that JSON doesn't have
		return ""
	}
	return string(raw)
}
