package runtime

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// walkBody finds every value of a valid JSON body that the type of *into can't
// hold, and notes each with its JSON pointer, which json.Unmarshal does for the
// first only, and without the indexes of arrays. It reads the body once.
func walkBody(body []byte, into any, note func(pointer, detail string)) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	w := walker{dec: dec, note: note}
	_ = w.value(reflect.TypeOf(into).Elem(), nil) // the body is valid, so that nothing else can fail
}

type walker struct {
	dec   *json.Decoder
	note  func(pointer, detail string)
	notes int
}

// place is where a value is: the way up to the body.
type place struct {
	up    *place
	name  string
	index int // in an array, where name is ""
	item  bool
}

// String is the JSON pointer (RFC 6901).
func (p *place) String() string {
	var parts []string
	for ; p != nil; p = p.up {
		if p.item {
			parts = append(parts, strconv.Itoa(p.index))
		} else {
			parts = append(parts, pointerEscaper.Replace(p.name))
		}
	}
	var b strings.Builder
	for _, part := range slices.Backward(parts) {
		b.WriteString("/" + part)
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (w *walker) fault(at *place, detail string) {
	if w.notes++; w.notes <= maxFaults {
		w.note(clip(at.String()), detail)
	}
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonNumber      = reflect.TypeFor[json.Number]()
)

// value walks the next value, which should become a t.
func (w *walker) value(t reflect.Type, at *place) error {
	for t.Kind() == reflect.Pointer && !t.Implements(jsonUnmarshaler) && !t.Implements(textUnmarshaler) {
		t = t.Elem()
	}
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) || t == jsonNumber {
		return w.custom(t, at)
	}
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return w.object(t, at)
		}
		return w.array(t, at)
	case nil: // null leaves every type as it is
	case bool:
		w.check(t.Kind() == reflect.Bool || anyType(t), t, at)
	case json.Number:
		w.check(holdsNumber(t, token.String()), t, at)
	case string:
		w.check(holdsString(t, token), t, at)
	}
	return nil
}

func (w *walker) check(ok bool, t reflect.Type, at *place) {
	if !ok {
		w.fault(at, "expected "+expected(t))
	}
}

// custom asks the type's own method.
func (w *walker) custom(t reflect.Type, at *place) error {
	var raw json.RawMessage
	if err := w.dec.Decode(&raw); err != nil {
		return err
	}
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	if err == nil {
		return nil
	}
	if mismatch, ok := err.(*json.UnmarshalTypeError); ok && mismatch.Field == "" { //nolint:errorlint // made here
		w.fault(at, "expected "+expected(mismatch.Type))
		return nil
	}
	w.fault(at, clip(err.Error()))
	return nil
}

func (w *walker) object(t reflect.Type, at *place) error {
	var fields []jsonField
	switch {
	case t.Kind() == reflect.Struct:
		fields = jsonFields(t)
	case t.Kind() == reflect.Map, anyType(t):
	default:
		w.fault(at, "expected "+expected(t))
		return w.rest()
	}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if err := w.member(t, fields, &place{up: at, name: name}); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

func (w *walker) member(t reflect.Type, fields []jsonField, at *place) error {
	if t.Kind() == reflect.Map {
		if key := t.Key(); !holdsKey(key, at.name) {
			w.fault(at, "expected a name that is "+expected(key))
		}
		return w.value(t.Elem(), at)
	}
	f := findField(fields, at.name)
	switch {
	case f == nil:
		return w.skip()
	case f.quoted:
		return w.quoted(f.t, at)
	}
	return w.value(f.t, at)
}

// quoted walks a value whose tag says ",string".
func (w *walker) quoted(t reflect.Type, at *place) error {
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	if _, ok := token.(json.Delim); ok {
		w.fault(at, "expected a string that holds "+expected(t))
		return w.rest()
	}
	text, ok := token.(string)
	if token != nil && (!ok || json.Unmarshal([]byte(text), reflect.New(t).Interface()) != nil) {
		w.fault(at, "expected a string that holds "+expected(t))
	}
	return nil
}

func (w *walker) array(t reflect.Type, at *place) error {
	var elem reflect.Type
	switch {
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		elem = t.Elem()
	case anyType(t):
		return w.rest()
	default:
		w.fault(at, "expected "+expected(t))
		return w.rest()
	}
	for i := 0; w.dec.More(); i++ {
		if err := w.value(elem, &place{up: at, index: i, item: true}); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

// skip passes over the next value.
func (w *walker) skip() error {
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	if _, ok := token.(json.Delim); ok {
		return w.rest()
	}
	return nil
}

// rest passes over what is left of the object or array that was just opened.
func (w *walker) rest() error {
	for depth := 1; depth > 0; {
		token, err := w.dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

func anyType(t reflect.Type) bool { return t.Kind() == reflect.Interface && t.NumMethod() == 0 }

func holdsNumber(t reflect.Type, n string) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		_, err := strconv.ParseInt(n, 10, t.Bits())
		return err == nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		_, err := strconv.ParseUint(n, 10, t.Bits())
		return err == nil
	case reflect.Float32, reflect.Float64:
		_, err := strconv.ParseFloat(n, t.Bits())
		return err == nil
	}
	return anyType(t)
}

func holdsString(t reflect.Type, s string) bool {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		_, err := base64.StdEncoding.DecodeString(s)
		return err == nil
	}
	return t.Kind() == reflect.String || anyType(t)
}

// holdsKey reports whether a member's name can be a key of type t.
func holdsKey(t reflect.Type, name string) bool {
	if p := reflect.PointerTo(t); p.Implements(textUnmarshaler) {
		u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](reflect.New(t))
		return ok && u.UnmarshalText([]byte(name)) == nil
	}
	return t.Kind() == reflect.String || holdsNumber(t, name)
}

// expected names a type to somebody who writes JSON.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "a non-negative integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a string in base64"
		}
		return "an array"
	case reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return expected(t.Elem())
	}
	return "another type"
}
