package runtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/runtime"
)

// bound is what a route binds in TestBinding.
type bound struct {
	Q    int         `json:"q"`
	Def  int         `json:"def"`
	Opt  *bool       `json:"opt"`
	OptD *string     `json:"optD"`
	All  []uint8     `json:"all"`
	H    string      `json:"h"`
	HAll []string    `json:"hAll"`
	HOpt *netip.Addr `json:"hOpt"`
	Host string      `json:"host"`
	F    float32     `json:"f"`
}

func bindRoute(t *testing.T) thingRoute {
	t.Helper()
	return thingRoute{Method: "GET", Pattern: "/bind", Serve: func(c *runtime.Call) {
		b := bound{
			Q:    runtime.Query(c, "q", runtime.Int[int]),
			Def:  runtime.Query(c, "def", runtime.Int[int], "50"),
			Opt:  runtime.QueryOptional(c, "opt", runtime.Bool[bool]),
			OptD: runtime.QueryOptional(c, "optd", runtime.String[string], "x"),
			All:  runtime.QueryAll(c, "all", runtime.Uint[uint8]),
			H:    runtime.Header(c, "X-H", runtime.String[string], "none"),
			HAll: runtime.HeaderAll(c, "X-All", runtime.String[string]),
			HOpt: runtime.HeaderOptional(c, "X-Opt", runtime.Text[netip.Addr]),
			Host: runtime.Header(c, "Host", runtime.String[string]),
			F:    runtime.Query(c, "f", runtime.Float[float32]),
		}
		if !c.Decoded() {
			return
		}
		if _, _, ok := runtime.Enter[thing](c); ok {
			runtime.Answer(c, b, nil)
		}
	}}
}

func TestBinding(t *testing.T) {
	s := serveThings(t, nil, bindRoute(t))
	no, x, addr := false, "x", netip.MustParseAddr("::1")
	for _, tt := range []struct {
		query  string
		header []string
		want   bound
	}{
		{"", nil, bound{Def: 50, OptD: &x, H: "none", Host: "h"}},
		{"?q=-7&def=0&opt=0&all=1&all=255&f=1.5", []string{"X-H", "", "X-H", "y", "X-All", "a", "X-All", "b, c", "X-Opt", "::1"},
			bound{Q: -7, Opt: &no, OptD: &x, All: []uint8{1, 255}, H: "y", HAll: []string{"a", "b, c"}, HOpt: &addr, Host: "h", F: 1.5}},
		{"?q=%2B3&unknown=1&Q=9", nil, bound{Q: 3, Def: 50, OptD: &x, H: "none", Host: "h"}},
	} {
		got := s.do(t, "GET", "/things/a/bind"+tt.query, "", tt.header...)
		var b bound
		if err := json.Unmarshal([]byte(got.Body), &b); err != nil {
			t.Fatalf("%s: %+v", tt.query, got)
		}
		tt.want.Host = strings.TrimPrefix(s.URL, "http://")
		if diff := cmp.Diff(tt.want, b, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.query, diff)
		}
	}

	got := s.do(t, "GET", "/things/a/bind?q=x&def=&opt=maybe&all=1&all=256&all=-1&f=NaN", "", "X-Opt", "nowhere")
	want := []string{
		"q: expected an integer", "def: expected an integer", "opt: expected true or false", "all: expected an integer from 0 to 255",
		"all: expected a non-negative integer", `X-Opt: ParseAddr("nowhere"): unable to parse IP`, "f: expected a number",
	}
	var faults []string
	for _, f := range got.problem(t).Errors {
		faults = append(faults, f.where()+": "+f.Detail)
	}
	if diff := cmp.Diff(want, faults); diff != "" || got.Status != 400 {
		t.Errorf("%d (-want +got):\n%s", got.Status, diff)
	}
}

type small int8

func TestParsers(t *testing.T) {
	check := func(name string, got any, err error, want any, wantErr string) {
		t.Helper()
		if err == nil && got != want || fmt.Sprint(err) != wantErr && (err != nil || wantErr != "") {
			t.Errorf("%s: %v, %v; want %v, %s", name, got, err, want, wantErr)
		}
	}
	for s, want := range map[string]any{"0": small(0), "127": small(127), "-128": small(-128), "007": small(7)} {
		got, err := runtime.Int[small](s)
		check("Int "+s, got, err, want, "")
	}
	for _, s := range []string{"128", "-129", "99999999999999999999"} {
		_, err := runtime.Int[small](s)
		check("Int "+s, nil, err, nil, "expected an integer of 8 bits")
	}
	_, err := runtime.Int[int16]("32768")
	check("Int16", nil, err, nil, "expected an integer of 16 bits")
	_, err = runtime.Int[int32]("2147483648")
	check("Int32", nil, err, nil, "expected an integer of 32 bits")
	_, err = runtime.Int[int64]("9223372036854775808")
	check("Int64", nil, err, nil, "expected an integer of 64 bits")
	for _, s := range []string{"", " 1", "1 ", "1.0", "1e3", "0x1", "1_0", "١", "--1"} {
		_, err := runtime.Int[int](s)
		check("Int "+s, nil, err, nil, "expected an integer")
	}
	u, err := runtime.Uint[uint64]("18446744073709551615")
	check("Uint", u, err, uint64(math.MaxUint64), "")
	_, err = runtime.Uint[uint16]("65536")
	check("Uint", nil, err, nil, "expected an integer from 0 to 65535")
	for _, s := range []string{"NaN", "Inf", "-inf", "1e999", "", "1,5", "1f"} {
		_, err := runtime.Float[float64](s)
		check("Float "+s, nil, err, nil, "expected a number")
	}
	_, err = runtime.Float[float32]("1e39")
	check("Float32", nil, err, nil, "expected a number")
	for _, s := range []string{"", "TRUE", "t", "yes", "2"} {
		_, err := runtime.Bool[bool](s)
		check("Bool "+s, nil, err, nil, "expected true or false")
	}
}

// picky is a body that refuses itself.
type picky struct {
	N int `json:"n"`
}

func (p picky) Validate() error {
	if p.N%2 == 1 {
		return errors.New("n must be even")
	}
	return nil
}

func TestValidate(t *testing.T) {
	s := serveThings(t, nil, thingRoute{Method: "POST", Pattern: "/v", Serve: func(c *runtime.Call) {
		var p picky
		c.Body(&p)
		runtime.Query(c, "q", runtime.Int[int])
		c.Validate(p)
		if !c.Decoded() {
			return
		}
		if _, _, ok := runtime.Enter[thing](c); ok {
			runtime.Answer(c, p.N, nil)
		}
	}})
	if got := s.do(t, "POST", "/things/a/v", `{"n":2}`); got.Status != 200 {
		t.Errorf("%+v", got)
	}
	if got := s.do(t, "POST", "/things/a/v", `{"n":1}`); got.Status != 400 || got.problem(t).Detail != "n must be even" {
		t.Errorf("%+v", got)
	}
	// A value that isn't whole isn't validated, and body and query are told of at once.
	got := s.do(t, "POST", "/things/a/v?q=x", `{"n":"x"}`)
	if p := got.problem(t); len(p.Errors) != 2 || p.Errors[0].where() != "/n" || p.Errors[1].where() != "q" {
		t.Errorf("%+v", got)
	}
	// What is wrong with the body as such wins over a field.
	if got := s.do(t, "POST", "/things/a/v?q=x", `{"n":2}`, "Content-Type", ""); got.Status != 415 {
		t.Errorf("%+v", got)
	}
}
