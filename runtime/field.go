package runtime

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// jsonField is a member that encoding/json reads into a struct.
type jsonField struct {
	name   string
	t      reflect.Type
	quoted bool // ",string"
	tagged bool
}

var jsonFieldsOf sync.Map // reflect.Type to []jsonField

// jsonFields are the members of a struct by encoding/json's rules: of fields
// with one name the least deep counts, then the tagged, and where that doesn't
// decide, none.
func jsonFields(t reflect.Type) []jsonField {
	if fields, ok := jsonFieldsOf.Load(t); ok {
		return fields.([]jsonField) //nolint:errcheck // stored below
	}
	var fields []jsonField
	taken := map[string]bool{}
	visited := map[reflect.Type]bool{}
	for level := []reflect.Type{t}; len(level) > 0; {
		var deeper []reflect.Type
		found := map[string][]jsonField{}
		var names []string
		for _, s := range level {
			if visited[s] {
				continue
			}
			visited[s] = true
			for field := range s.Fields() {
				f, embedded := fieldOf(field)
				if embedded != nil {
					deeper = append(deeper, embedded)
				}
				if f.name == "" || taken[f.name] {
					continue
				}
				if found[f.name] == nil {
					names = append(names, f.name)
				}
				found[f.name] = append(found[f.name], f)
			}
		}
		for _, name := range names {
			taken[name] = true
			if f, ok := dominant(found[name]); ok {
				fields = append(fields, f)
			}
		}
		level = deeper
	}
	jsonFieldsOf.Store(t, fields)
	return fields
}

// fieldOf is the member that a struct's field makes, or the struct whose
// members it brings in.
func fieldOf(f reflect.StructField) (member jsonField, embedded reflect.Type) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return jsonField{}, nil
	}
	name, options, _ := strings.Cut(tag, ",")
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if f.Anonymous && name == "" && t.Kind() == reflect.Struct {
		return jsonField{}, t
	}
	if !f.IsExported() {
		return jsonField{}, nil
	}
	member = jsonField{name: name, t: f.Type, tagged: name != "", quoted: quotable(t) && slices.Contains(strings.Split(options, ","), "string")}
	if name == "" {
		member.name = f.Name
	}
	return member, nil
}

// quotable reports whether ",string" means something for a type.
func quotable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64, reflect.Uintptr,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

func dominant(same []jsonField) (jsonField, bool) {
	if len(same) == 1 {
		return same[0], true
	}
	i := slices.IndexFunc(same, func(f jsonField) bool { return f.tagged })
	if i < 0 || slices.ContainsFunc(same[i+1:], func(f jsonField) bool { return f.tagged }) {
		return jsonField{}, false
	}
	return same[i], true
}

// findField is the member that a name in the body means: the one that is called
// so, else the first that differs in case only.
func findField(fields []jsonField, name string) *jsonField {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	for i := range fields {
		if strings.EqualFold(fields[i].name, name) {
			return &fields[i]
		}
	}
	return nil
}

// blankMembers makes json.Unmarshal skip the members of an object that exclude
// names: their names become blanks of the same length, which are no field's. A
// body that isn't an object stays as it is, to be refused later.
func blankMembers(body []byte, into any, exclude []string) {
	t := reflect.TypeOf(into).Elem()
	if t.Kind() != reflect.Struct {
		return
	}
	fields := jsonFields(t)
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return
	}
	skipping := walker{dec: dec}
	for dec.More() {
		from := dec.InputOffset()
		token, err := dec.Token()
		if err != nil {
			return
		}
		name, _ := token.(string)
		f := findField(fields, name)
		if f != nil && slices.Contains(exclude, f.name) {
			quoted := body[from:dec.InputOffset()]
			quoted = quoted[bytes.IndexByte(quoted, '"')+1 : len(quoted)-1]
			for i := range quoted {
				quoted[i] = ' '
			}
		}
		if skipping.skip() != nil {
			return
		}
	}
}
