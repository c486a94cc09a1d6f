package check

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/gen/model"
)

// describe writes a route as the emitter sees it.
func describe(r *model.Route) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s(", r.Method, r.Pattern, r.Func)
	if r.HasContext {
		b.WriteString("ctx ")
	}
	for _, p := range r.Params {
		b.WriteString(p.Name + ":" + [...]string{"path", "struct", "reader", "request", "caller", "conn", "writer"}[p.Kind])
		if p.Kind == model.PathParam {
			b.WriteString(scalar(p.Scalar))
		}
		if p.Kind == model.ConnParam {
			fmt.Fprintf(&b, "<%s,%s>", p.In, p.Out)
		}
		if q := p.Request; q != nil {
			fmt.Fprintf(&b, "<pointer=%t body=%t validate=%t exclude=%v", q.Pointer, q.Body, q.Validate, q.Exclude)
			for _, f := range q.Bound {
				fmt.Fprintf(&b, " %s=%s:%s%s", strings.Join(f.Path, "."), f.In, f.Name, scalar(f.Scalar))
				if f.Default != nil {
					fmt.Fprintf(&b, "=%q", *f.Default)
				}
			}
			b.WriteString(">")
		}
		b.WriteString(" ")
	}
	b.WriteString(") ")
	b.WriteString([...]string{"none", "json", "string", "bytes", "reader", "response", "seq", "seq2", "raw", "socket"}[r.Result.Kind])
	if r.Result.Type != nil {
		fmt.Fprintf(&b, "<%s as %d>", casePackage.ReplaceAllString(r.Result.Type.String(), "p."), r.Result.Body)
	}
	for _, flag := range []struct {
		on   bool
		name string
	}{
		{r.Result.HasError, "error"}, {r.Result.StreamError, "stream-error"}, {r.Primary, "primary"}, {r.Concurrent, "concurrent"},
		{r.Limit > 0, fmt.Sprintf("limit=%d", r.Limit)}, {r.Auth != "", "auth=" + r.Auth},
	} {
		if flag.on {
			b.WriteString(" " + flag.name)
		}
	}
	return b.String()
}

// casePackage is the path of a case, which depends on the other cases there are.
var casePackage = regexp.MustCompile(`example\.com/m/c\d+\.`)

func scalar(s model.Scalar) string {
	text := "<"
	if s.Slice {
		text += "[]"
	}
	if s.Pointer {
		text += "*"
	}
	text += [...]string{"string", "int", "uint", "float", "bool", "text"}[s.Kind]
	if s.Bits > 0 {
		text += fmt.Sprint(s.Bits)
	}
	if s.PointerText {
		text += " pointer"
	}
	return text + ">"
}

func TestRoutesAreDescribed(t *testing.T) {
	one := func(route, params, results, more string) string {
		return room + "//pinned:route " + route + "\nfunc (r *Room) F(" + params + ") " + results + " { panic(0) }\n" + more
	}
	cases := map[string]struct {
		src  string
		want []string
	}{
		"nothing at all": {one("GET /x", "", "", ""), []string{
			`GET /x F() none primary`,
		}},
		"an error alone": {one("DELETE /x", "ctx context.Context", "error", ""), []string{
			`DELETE /x F(ctx ) none error primary`,
		}},
		"kinds of scalars": {one("GET /{a}/{b}/{c}/{d}/{e}/{f...}", "ctx context.Context, f Rest, a int8, b uint, c bool, d time.Time, e big.Int", "", "type Rest string"), []string{
			`GET /{a}/{b}/{c}/{d}/{e}/{f...} F(ctx f:path<string> a:path<int8> b:path<uint> c:path<bool> d:path<text> e:path<text pointer> ) none primary`,
		}},
		"an alias of a scalar": {one("GET /{a}", "a A", "(B, error)", "type (\n\tA = Inner\n\tInner int64\n\tB = inner\n\tinner struct{ X int }\n)"), []string{
			`GET /{a} F(a:path<int64> ) json<p.B as 1> error primary`,
		}},
		"a generic alias": {one("GET /x", "", "(L[int], error)", "type L[T any] = []T"), []string{
			`GET /x F() json<p.L[int] as 1> error primary`,
		}},
		"all that a route takes": {one("POST /{n}", "ctx context.Context, c pinned.Caller, n int, h *http.Request, q Q, b io.Reader", "", "type Q struct {\n\tA int `query:\"a\"`\n}"), []string{
			`POST /{n} F(ctx c:caller n:path<int> h:request q:struct<pointer=false body=false validate=false exclude=[A] A=query:a<int>> b:reader ) none primary`,
		}},
		"a body": {one("PUT /x", "req Req", "", "type Req struct {\n\tText string\n\tDry bool `query:\"dry\"`\n\tToken string `header:\"x-token\" json:\"-\"`\n}\n\nfunc (r *Req) Validate() error { return nil }"), []string{
			`PUT /x F(req:struct<pointer=false body=true validate=true exclude=[Dry] Dry=query:dry<bool> Token=header:X-Token<string>> ) none primary`,
		}},
		"a pointer to a body": {one("PATCH /x", "req *Req", "", "type Req struct{ Text string }\n\nfunc (r Req) Validate() error { return nil }"), []string{
			`PATCH /x F(req:struct<pointer=true body=true validate=true exclude=[]> ) none primary`,
		}},
		"an anonymous body": {one("POST /x", "req struct{ A []struct{ B map[int]*time.Time } }", "", ""), []string{
			`POST /x F(req:struct<pointer=false body=true validate=false exclude=[]> ) none primary`,
		}},
		"its own JSON": {one("POST /x", "req Req", "", "type Req struct{ f func() }\n\nfunc (r *Req) UnmarshalJSON([]byte) error { return nil }\n\nfunc (r Req) MarshalJSON() ([]byte, error) { return nil, nil }"), []string{
			`POST /x F(req:struct<pointer=false body=true validate=false exclude=[]> ) none primary`,
		}},
		"no field of the body": {one("POST /x", "req Req", "", "type Req struct{ A int `query:\"a\"` }"), []string{
			`POST /x F(req:struct<pointer=false body=false validate=false exclude=[A] A=query:a<int>> ) none primary`,
		}},
		"a query": {one("GET /x", "q Q", "", "type Q struct {\n\tPage\n\tTags []string `query:\"tag\"`\n\tAt *time.Time `query:\"at\"`\n\tD time.Duration `query:\"d\" default:\"5\"`\n\tF float32 `query:\"f\" default:\"1e3\"`\n\tU []uint16 `header:\"u\"`\n\tN *big.Int `query:\"n\"`\n\thidden int\n}\n\ntype Page struct {\n\tAfter int `query:\"after\" default:\"-1\"`\n}"), []string{
			`GET /x F(q:struct<pointer=false body=false validate=false exclude=[After At D F N Tags U] Page.After=query:after<int>="-1" Tags=query:tag<[]string> At=query:at<*text> D=query:d<int64>="5" F=query:f<float32>="1e3" U=header:U<[]uint16> N=query:n<*text pointer>> ) none primary`,
		}},
		"a string": {one("GET /x", "", "string", ""), []string{
			`GET /x F() string<string as 2> primary`,
		}},
		"a string of its own": {one("GET /x", "", "S", "type S string"), []string{
			`GET /x F() json<p.S as 1> primary`,
		}},
		"bytes": {one("GET /x", "", "([]byte, error)", ""), []string{
			`GET /x F() bytes<[]byte as 3> error primary`,
		}},
		"bytes of its own": {one("GET /x", "", "B", "type B []byte"), []string{
			`GET /x F() json<p.B as 1> primary`,
		}},
		"a reader": {one("GET /x", "", "(io.Reader, error)", ""), []string{
			`GET /x F() reader<io.Reader as 4> error primary`,
		}},
		"a response": {one("GET /x", "", "(*pinned.Response[[]byte], error)", ""), []string{
			`GET /x F() response<[]byte as 3> error primary`,
		}},
		"a response of any": {one("GET /x", "", "*pinned.Response[any]", ""), []string{
			`GET /x F() response<any as 1> primary`,
		}},
		"a stream": {one("GET /x", "", "iter.Seq[int]", ""), []string{
			`GET /x F() seq<int as 1> primary`,
		}},
		"a stream of errors": {one("GET /x", "", "iter.Seq2[T, error]", "type T struct{ Next *T }"), []string{
			`GET /x F() seq2<p.T as 1> error primary`,
		}},
		"a stream or an error": {one("GET /x", "", "(iter.Seq2[string, error], error)", ""), []string{
			`GET /x F() seq2<string as 1> error stream-error primary`,
		}},
		"a raw handler": {one("GET /{a}/{b...} limit=1KiB", "w http.ResponseWriter, req *http.Request", "", ""), []string{
			`GET /{a}/{b...} F(w:writer req:request ) raw primary limit=1024`,
		}},
		"a socket": {one("WEBSOCKET /{n} limit=64KiB", "ctx context.Context, n string, c *pinned.Conn[int, []string], q Q", "error", "type Q struct {\n\tA int `query:\"a\"`\n}"), []string{
			`WEBSOCKET /{n} F(ctx n:path<string> c:conn<int,[]string> q:struct<pointer=false body=false validate=false exclude=[A] A=query:a<int>> ) socket error primary limit=65536`,
		}},
		"several routes": {one("GET /x concurrent\n//pinned:route POST /y auth=none\n//pinned:route HEAD /x auth=Admin", "ctx context.Context", "error", "func (r *Room) Admin(context.Context, *http.Request, pinned.Caller) error { return nil }"), []string{
			`GET /x F(ctx ) none error primary concurrent`,
			`POST /y F(ctx ) none error auth=none`,
			`HEAD /x F(ctx ) none error auth=Admin`,
		}},
		"a promoted base": {"type base struct{ pinned.Object }\n\nfunc (b *base) Admin(context.Context, *http.Request, pinned.Caller) error { return nil }\n\n//pinned:object NS\ntype Room struct{ base }\n\n//pinned:route GET /x auth=Admin\nfunc (r *Room) F() {}", []string{
			`GET /x F() none primary auth=Admin`,
		}},
		"an alias of the base": {"type Base = pinned.Object\n\n//pinned:object NS\ntype Room struct{ Base }\n\n//pinned:route GET /x\nfunc (r *Room) F() {}", []string{
			`GET /x F() none primary`,
		}},
		"a receiver's alias": {room + "type R = Room\n\n//pinned:route GET /x\nfunc (r *R) F() {}", []string{
			`GET /x F() none primary`,
		}},
		"GET and WEBSOCKET": {room + "//pinned:route GET /x\nfunc (r *Room) F() {}\n\n//pinned:route WEBSOCKET /x\nfunc (r *Room) G(c *pinned.Conn[int, int]) {}\n\n//pinned:route HEAD /x\nfunc (r *Room) H() {}", []string{
			`GET /x F() none primary`,
			`WEBSOCKET /x G(c:conn<int,int> ) socket primary`,
			`HEAD /x H() none primary`,
		}},
		"an escaped literal": {room + "//pinned:route GET /a%2Fb/é/\nfunc (r *Room) F() {}", []string{
			`GET /a%2Fb/é/ F() none primary`,
		}},
	}
	sources := map[string]string{}
	for name, c := range cases {
		sources[name] = c.src
	}
	diags, models := checkAll(t, sources)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := diags[name]
			if m := models[name]; m != nil {
				for _, o := range m.Objects {
					for _, r := range o.Routes {
						got = append(got, describe(r))
					}
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBasesAreFoundThroughStructsAndAliases(t *testing.T) {
	const object = "//pinned:object NS\ntype Room struct{ "
	diags, models := checkAll(t, map[string]string{
		"Object":           object + "pinned.Object }",
		"Base":             "type Base = pinned.Object\n\n" + object + "Base }",
		"inner.Object":     "type inner struct{ pinned.Object }\n\n" + object + "inner }",
		"outer.inner.Base": "type Base = pinned.Object\n\ntype inner struct{ Base }\n\ntype outer struct{ inner }\n\n" + object + "outer }",
	})
	for want, m := range models {
		if got := strings.Join(m.Objects[0].Base, "."); got != want || diags[want] != nil {
			t.Errorf("%s: %s %v", want, got, diags[want])
		}
	}
}
