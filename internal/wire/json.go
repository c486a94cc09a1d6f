package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FieldError is what is wrong with a body: the answer is 400, which names the field.
type FieldError struct {
	Field  string // as in `instances["/rooms"][3]`; "": the body as a whole
	Reason string // quotes no value
}

func (e *FieldError) Error() string {
	if e.Field == "" {
		return "the body " + e.Reason
	}
	return e.Field + " " + e.Reason
}

// within says that what is wrong is in a field, or in an element of it.
func within(field string, err error) error {
	e, ok := errors.AsType[*FieldError](err)
	if !ok {
		return err
	}
	if e.Field != "" && e.Field[0] != '[' {
		field += "."
	}
	return &FieldError{field + e.Field, e.Reason}
}

func wrong(format string, args ...any) error {
	return &FieldError{Reason: fmt.Sprintf(format, args...)}
}

// value is JSON that the reader stands in. encoding/json takes the last of two members of
// one name, and a name in another case; two readers of one body could so take it
// differently. It also takes null for anything.
type value struct {
	json []byte
	at   int
}

// mostNested is how deep a body may be. Those of the contract have four levels.
const mostNested = 100

// read reads a body, which must be JSON as a whole before anything of it is looked at.
func read(body []byte, take func(v *value) error) error {
	var all json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return wrong("isn't JSON (byte %d): %v", syntax.Offset, err)
		}
		return wrong("isn't JSON: %v", err)
	}
	v := &value{json: body}
	if v.depth() > mostNested {
		return wrong("has more than %d levels", mostNested)
	}
	return take(v)
}

// depth is how many levels the whole has.
func (v *value) depth() int {
	depth, most := 0, 0
	for i := 0; i < len(v.json); i++ {
		switch v.json[i] {
		case '"':
			i = v.endOfString(i) - 1
		case '{', '[':
			depth++
			most = max(most, depth)
		case '}', ']':
			depth--
		}
	}
	return most
}

// endOfString is the position after the string that begins at a position.
func (v *value) endOfString(from int) int {
	for i := from + 1; ; i++ {
		switch v.json[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// first is the first byte of what comes, which tells its kind.
func (v *value) first() byte {
	for strings.IndexByte(" \t\r\n", v.json[v.at]) >= 0 {
		v.at++
	}
	return v.json[v.at]
}

// object takes the members of an object. Each must have been read, or skipped, when take
// returns.
func (v *value) object(take func(name string) error) error {
	if v.first() != '{' {
		return wrong("isn't an object")
	}
	seen := map[string]bool{}
	v.at++
	for v.first() != '}' {
		name, err := v.text()
		if err != nil {
			return wrong("has a member whose name isn't well-formed Unicode")
		}
		if seen[name] {
			return within(member(name), wrong("is there twice"))
		}
		seen[name] = true
		v.first()
		v.at++ // the colon
		if err := take(name); err != nil {
			return err
		}
		if v.first() == ',' {
			v.at++
		}
	}
	v.at++
	return nil
}

// member is how a field is named: as it is where it could be one of the contract's.
func member(name string) string {
	if len(name) < 32 && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return (r|0x20) < 'a' || (r|0x20) > 'z' }) {
		return name
	}
	return key(name)
}

// key is how a member of a map is named. It may be anything, and long.
func key(name string) string {
	const most = 64
	if len(name) > most {
		name = name[:most] + "…"
	}
	return "[" + strconv.QuoteToASCII(name) + "]"
}

func (v *value) array(take func() error) error {
	if v.first() != '[' {
		return wrong("isn't an array")
	}
	v.at++
	for i := 0; v.first() != ']'; i++ {
		if err := take(); err != nil {
			return within("["+strconv.Itoa(i)+"]", err)
		}
		if v.first() == ',' {
			v.at++
		}
	}
	v.at++
	return nil
}

// text is a string. What isn't well-formed Unicode isn't one: it would be replaced, and two
// that differ would be the same.
func (v *value) text() (string, error) {
	if v.first() != '"' {
		return "", wrong("isn't a string")
	}
	begin := v.at
	v.at = v.endOfString(begin)
	s := string(v.json[begin+1 : v.at-1])
	well := utf8.ValidString(s)
	if well && strings.Contains(s, `\`) {
		had := strings.Count(s, "\ufffd") // half of a surrogate pair becomes one
		well = json.Unmarshal(v.json[begin:v.at], &s) == nil && strings.Count(s, "\ufffd") == had
	}
	if !well {
		return "", wrong("isn't well-formed Unicode")
	}
	return s, nil
}

// scalar is the text of a number, true, false or null.
func (v *value) scalar() string {
	v.first()
	begin := v.at
	for v.at < len(v.json) && strings.IndexByte(",]} \t\r\n", v.json[v.at]) < 0 {
		v.at++
	}
	return string(v.json[begin:v.at])
}

// quantity is a number that is not negative, and finite: JSON has no NaN, and what is too
// large for a float64 is an error.
func (v *value) quantity() (float64, error) {
	if !v.digits() {
		return 0, wrong("isn't a number")
	}
	n, err := strconv.ParseFloat(v.scalar(), 64)
	switch {
	case err != nil:
		return 0, wrong("is too large a number")
	case n < 0:
		return 0, wrong("is negative")
	}
	return n, nil
}

// integer has no fraction and no exponent, be they zero.
func (v *value) integer() (int64, error) {
	if !v.digits() {
		return 0, wrong("isn't an integer")
	}
	n, err := strconv.ParseInt(v.scalar(), 10, 64)
	if err != nil {
		return 0, wrong("isn't an integer, or is too large")
	}
	return n, nil
}

func (v *value) digits() bool {
	c := v.first()
	return c == '-' || '0' <= c && c <= '9'
}

func (v *value) boolean() (bool, error) {
	if c := v.first(); c != 't' && c != 'f' {
		return false, wrong("isn't a boolean")
	}
	return v.scalar() == "true", nil
}

// null reports whether null comes, which it takes.
func (v *value) null() bool {
	return v.first() == 'n' && v.scalar() != ""
}

// anything is a value of any kind, as encoding/json has it.
func (v *value) anything() (a any, err error) {
	if json.Unmarshal(v.skip(), &a) != nil {
		err = wrong("is too large a number") // the body is JSON
	}
	return a, err
}

// skip passes over a value of any kind, and returns it.
func (v *value) skip() []byte {
	first := v.first()
	begin := v.at
	switch first {
	case '"':
		v.at = v.endOfString(v.at)
	case '{', '[':
		for depth := 1; depth > 0; {
			v.at++
			switch v.json[v.at] {
			case '"':
				v.at = v.endOfString(v.at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
		}
		v.at++
	default:
		v.scalar()
	}
	return v.json[begin:v.at]
}

// field is what is read of a member.
type field struct {
	required bool
	take     func(v *value) error
}

// fields takes the members that a table has, and ignores any other.
func (v *value) fields(table map[string]field) error {
	there := map[string]bool{}
	err := v.object(func(name string) error {
		f, known := table[name]
		if !known {
			v.skip()
			return nil
		}
		there[name] = true
		return within(name, f.take(v))
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if table[name].required && !there[name] {
			return within(name, wrong("is missing"))
		}
	}
	return nil
}

// given is a member that may be left out, but is no null.
func given[T any](to *T, read func(*value) (T, error)) field {
	return field{take: func(v *value) (err error) {
		*to, err = read(v)
		return err
	}}
}

func required[T any](to *T, read func(*value) (T, error)) field {
	return field{true, given(to, read).take}
}

// optional is a member that is as good as left out where it is null.
func optional[T any](to *T, read func(*value) (T, error)) field {
	f := given(to, read)
	return field{take: func(v *value) error {
		if v.null() {
			return nil
		}
		return f.take(v)
	}}
}

// pointerTo tells what isn't there from what is zero.
func pointerTo[T any](read func(*value) (T, error)) func(*value) (*T, error) {
	return func(v *value) (*T, error) {
		t, err := read(v)
		return &t, err
	}
}

func listOf[T any](read func(*value) (T, error)) func(*value) ([]T, error) {
	return func(v *value) ([]T, error) {
		list := []T{}
		err := v.array(func() error {
			t, err := read(v)
			list = append(list, t)
			return err
		})
		return list, err
	}
}

func mapOf[T any](read func(*value) (T, error)) func(*value) (map[string]T, error) {
	return func(v *value) (map[string]T, error) {
		m := map[string]T{}
		err := v.object(func(name string) (err error) {
			m[name], err = read(v)
			return within(key(name), err)
		})
		return m, err
	}
}
