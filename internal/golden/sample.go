package golden

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// sample makes a value of a type, never its zero value, the same on every run.
// Texts have what must be escaped in a path, a query or JSON; name makes each
// another.
func sample(t reflect.Type, name string) reflect.Value {
	v := reflect.New(t).Elem()
	fill(v, name, 0)
	return v
}

// known are types whose insides can't be filled, or not with anything.
var known = map[reflect.Type]any{
	reflect.TypeFor[time.Time]():       time.Date(2026, 2, 28, 23, 59, 58, 123456789, time.UTC),
	reflect.TypeFor[time.Duration]():   90 * time.Second,
	reflect.TypeFor[netip.Addr]():      netip.MustParseAddr("2001:db8::1"),
	reflect.TypeFor[url.URL]():         url.URL{Scheme: "https", Host: "example.com", Path: "/a b"},
	reflect.TypeFor[json.RawMessage](): json.RawMessage(`{"raw":[1,2]}`),
	reflect.TypeFor[json.Number]():     json.Number("12.5"),
}

func fill(v reflect.Value, name string, depth int) {
	if value, ok := known[v.Type()]; ok {
		v.Set(reflect.ValueOf(value))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-int64(len(name)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(len(name)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(len(name)) + 0.5)
	case reflect.String:
		v.SetString(name + ` é/"&?%2F+`)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() || field.Anonymous && field.Type.Kind() == reflect.Struct {
				fill(v.Field(i), field.Name, depth)
			}
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*http.Request]() {
			req, err := http.NewRequest(http.MethodGet, "http://ignored/?q=a%20b&q=c", strings.NewReader("body of "+name))
			if err != nil {
				panic(err) // no argument of ours
			}
			req.Header.Set("X-Sample", name)
			v.Set(reflect.ValueOf(req))
			return
		}
		if depth > 3 { // a type that holds itself
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, depth+1)
	case reflect.Slice:
		if depth > 3 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), fmt.Sprintf("%s-%d", name, i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), fmt.Sprintf("%s-%d", name, i), depth+1)
		}
	case reflect.Map:
		if depth > 3 {
			return
		}
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, name+"-key", depth+1)
		fill(value, name+"-value", depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[io.Reader]() {
			v.Set(reflect.ValueOf(strings.NewReader("raw " + name)))
		} else if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf("any " + name))
		}
	}
}
