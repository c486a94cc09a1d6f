package check

import "testing"

func TestRoutesAreRefused(t *testing.T) {
	get := func(params, results string) string {
		return room + "//pinned:route GET /x/{n}\nfunc (r *Room) Get(" + params + ") " + results + " { panic(0) }"
	}
	put := func(params, results string) string {
		return room + "//pinned:route PUT /x\nfunc (r *Room) Put(" + params + ") " + results + " { panic(0) }"
	}
	refused(t, map[string]refusal{
		"a value receiver": {room + "//pinned:route GET /x\nfunc (r Room) Get() {}", []string{
			`4:9-13 a route needs a pointer receiver, *Room: this one would work on a copy [PIN061] FIX *Room`,
		}},
		"a generic receiver": {room + "type G[T any] struct{}\n\n//pinned:route GET /x\nfunc (g *G[T]) Get() {}", []string{
			`6:10-11 G has type parameters: the receiver of a route can't have any [PIN041]`,
		}},
		"no object": {"type Room struct{ pinned.Object }\n\n//pinned:route GET /x\nfunc (r *Room) Get() {}", []string{
			`3:1-22 Get has a route, but Room is no object: give it //pinned:object [PIN060]`,
		}},
		"a promoted route": {"type base struct{}\n\n//pinned:route GET /x\nfunc (b *base) Get() {}\n\n//pinned:object NS\ntype Room struct {\n\tpinned.Object\n\tbase\n}", []string{
			`3:1-22 a route isn't inherited: base is no object, though Room embeds it; declare the method on Room [PIN060] | 9:2 Room embeds base`,
		}},
		"unexported": {room + "//pinned:route GET /x\nfunc (r *Room) get() {}", []string{
			`4:16-19 a route's method must be exported, since a client has it too: get [PIN062] FIX Get`,
		}},
		"a method of Object": {room + "//pinned:route GET /x\nfunc (r *Room) Log() {}", []string{
			`4:16-19 route Log hides a method of pinned.Object: call it otherwise [PIN046]`,
		}},
		"a hook": {room + "//pinned:route POST /close\nfunc (r *Room) Close(ctx context.Context) error { return nil }", []string{
			`4:16-21 Close is a hook, so it can't be a route: call the method otherwise [PIN063]`,
		}},
		"a word of Go in the pattern": {room + "//pinned:route GET /{type}\nfunc (r *Room) Get(ctx context.Context) error { return nil }", []string{
			`3:20-27 path parameter {type} is a word of Go, which no parameter is called: rename it in the pattern [PIN076]`,
		}},
		"no parameter": {get("ctx context.Context", ""), []string{
			`3:20-26 path parameter {n} needs a parameter n of Get [PIN076] | 4:16 the method`,
		}},
		"an unnamed parameter": {get("context.Context, int", ""), []string{
			`4:37-40 this int needs the name of a path parameter: parameters are bound by name [PIN070]`,
		}},
		"a blank parameter": {get("ctx context.Context, _ int", ""), []string{
			`4:43-46 this int needs the name of a path parameter: parameters are bound by name [PIN070]`,
		}},
		"another name": {get("ctx context.Context, m int", ""), []string{
			`4:41-42 no {m} in the pattern /x/{n}: a parameter of this type comes from the path; from the query it is a field of a request struct [PIN071] | 3:20 the pattern`,
		}},
		"a float in the path": {get("n float64", ""), []string{
			`4:22-29 path parameter n can't be float64: a path parameter is a string, an integer, a bool or an encoding.TextUnmarshaler [PIN069] | 3:20 the pattern has it`,
		}},
		"a pointer in the path": {get("n *int", ""), []string{
			`4:22-26 path parameter n can't be *int: a path parameter is always there, so it is no pointer [PIN069] | 3:20 the pattern has it`,
		}},
		"a slice in the path": {get("n []string", ""), []string{
			`4:22-30 path parameter n can't be []string: it is not a string, a number, a bool or an encoding.TextUnmarshaler [PIN069] | 3:20 the pattern has it`,
		}},
		"text without MarshalText": {get("n T", "") + "\ntype T struct{}\nfunc (t *T) UnmarshalText([]byte) error { return nil }", []string{
			`4:22-23 path parameter n can't be T: it has UnmarshalText, but no MarshalText, which clients need [PIN069] | 3:20 the pattern has it`,
		}},
		"an int for the rest": {room + "//pinned:route GET /x/{n...}\nfunc (r *Room) Get(n int) {}", []string{
			`4:22-25 path parameter n can't be int: {name...} is the rest of the path, a string [PIN069] | 3:20 the pattern has it`,
		}},
		"a context later": {get("n int, ctx context.Context", ""), []string{
			`4:31-46 the context must be the first parameter [PIN067]`,
		}},
		"variadic": {get("n ...int", ""), []string{
			`4:22-28 Get is variadic: a route takes a slice in a request struct [PIN067]`,
		}},
		"a request by value": {put("req http.Request", ""), []string{
			`4:24-36 this must be a pointer, *http.Request [PIN067] FIX *http.Request`,
		}},
		"a caller by pointer": {put("c *pinned.Caller", ""), []string{
			`4:22-36 this must be pinned.Caller itself, no pointer [PIN067] FIX pinned.Caller`,
		}},
		"a ReadCloser": {put("b io.ReadCloser", ""), []string{
			`4:22-35 a raw body is an io.Reader [PIN067] FIX io.Reader`,
		}},
		"two readers": {put("a, b io.Reader", ""), []string{
			`4:23-24 a route takes one io.Reader at most [PIN072] | 4:20 the first`,
		}},
		"two structs": {put("a A, b A", "") + "\ntype A struct{ X int }", []string{
			`4:25-26 a route takes one request struct at most [PIN072] | 4:20 the first`,
		}},
		"a channel": {put("c chan int", ""), []string{
			`4:22-30 parameter c can't be chan int: a route takes path parameters, a request struct, io.Reader, *http.Request and pinned.Caller [PIN067]`,
		}},
		"a map": {put("m map[string]int", ""), []string{
			`4:22-36 parameter m can't be map[string]int: a route takes path parameters, a request struct, io.Reader, *http.Request and pinned.Caller [PIN067]`,
		}},
		"any": {put("v any", ""), []string{
			`4:22-25 parameter v can't be any: a route takes path parameters, a request struct, io.Reader, *http.Request and pinned.Caller [PIN067]`,
		}},
		"a time": {put("at time.Time", ""), []string{
			`4:20-22 no {at} in the pattern /x: a parameter of this type comes from the path; from the query it is a field of a request struct [PIN071] | 3:20 the pattern`,
		}},
		"a reader on GET": {get("n int, b io.Reader", ""), []string{
			`4:27-28 GET requests have no body to read [PIN074]`,
		}},
		"two bodies": {put("a A, b io.Reader", "") + "\ntype A struct{ X int }", []string{
			`4:25-26 the body can't be both this io.Reader and A: tag its fields query: or header: [PIN075] | 4:20 the request struct, a field of which has no tag`,
		}},
		"a writer among others": {put("ctx context.Context, w http.ResponseWriter, r2 *http.Request", ""), []string{
			`4:43-62 Put takes an http.ResponseWriter, so it must be func(http.ResponseWriter, *http.Request), without results [PIN068]`,
		}},
		"a raw socket": {room + "//pinned:route WEBSOCKET /x\nfunc (r *Room) Get(w http.ResponseWriter, req *http.Request) {}", []string{
			`4:22-41 a WEBSOCKET route can't be a raw handler: it takes a *pinned.Conn[In, Out] [PIN068]`,
		}},
		"a socket without conn": {room + "//pinned:route WEBSOCKET /x\nfunc (r *Room) Get(ctx context.Context) error { return nil }", []string{
			`4:16-19 a WEBSOCKET route takes a *pinned.Conn[In, Out], and Get doesn't [PIN073]`,
		}},
		"a conn on GET": {room + "//pinned:route GET /x\nfunc (r *Room) Get(ctx context.Context, c *pinned.Conn[int, int]) error { return nil }", []string{
			`4:41-42 a *pinned.Conn is for WEBSOCKET routes, and this is a GET one [PIN073] | 3:16 the method`,
		}},
		"a conn by value": {room + "//pinned:route WEBSOCKET /x\nfunc (r *Room) Get(ctx context.Context, c pinned.Conn[int, int]) error { return nil }", []string{
			`4:43-64 this must be a pointer, *pinned.Conn [PIN067] FIX *pinned.Conn[int, int]`,
		}},
		"a socket's result": {room + "//pinned:route WEBSOCKET /x\nfunc (r *Room) Get(ctx context.Context, c *pinned.Conn[int, int]) (int, error) { return 0, nil }", []string{
			`4:68-71 a WEBSOCKET route returns nothing or an error [PIN079]`,
		}},
		"three results": {put("", "(int, int, error)"), []string{
			`4:28-31 Put returns too much: a route returns nothing, error, T or (T, error) [PIN079]`,
		}},
		"two values": {put("", "(int, int)"), []string{
			`4:28-31 Put returns too much: a route returns nothing, error, T or (T, error) [PIN079]`,
		}},
		"an error first": {put("", "(error, int)"), []string{
			`4:30-33 Put returns too much: a route returns nothing, error, T or (T, error) [PIN079]`,
		}},
		"a Response by value": {put("", "pinned.Response[int]"), []string{
			`4:22-42 this must be a pointer, *pinned.Response [PIN067] FIX *pinned.Response[int]`,
		}},
		"a Response of a stream": {put("", "*pinned.Response[iter.Seq[int]]"), []string{
			`4:22-53 a pinned.Response can't hold iter.Seq[int] [PIN079]`,
		}},
		"a file": {put("", "(*os.File, error)"), []string{
			`4:23-31 return *os.File as an io.Reader, for its bytes to be streamed [PIN079]`,
		}},
		"a bare sequence": {put("", "func(yield func(int) bool)"), []string{
			`4:22-48 return func(yield func(int) bool) as an iter.Seq or iter.Seq2, for a stream [PIN079]`,
		}},
		"a Seq2 without error": {put("", "iter.Seq2[int, string]"), []string{
			`4:22-44 a stream is iter.Seq[T] or iter.Seq2[T, error], not with string [PIN079]`,
		}},
		"a channel result": {put("", "<-chan int"), []string{
			`4:22-32 <-chan int cannot be encoded [PIN083]`,
		}},
		"a func in a result": {put("", "(Res, error)") + "\ntype Res struct{ Items []Item }\n\ntype Item struct {\n\tFn func()\n}", []string{
			`4:23-26 Res.Items[].Fn: func() cannot be encoded [PIN083] | 8:2 the field`,
		}},
		"a func in a message": {room + "//pinned:route WEBSOCKET /x\nfunc (r *Room) Get(c *pinned.Conn[func(), complex64]) {}", []string{
			`4:22-53 complex64 cannot be encoded [PIN083]`,
			`4:22-53 func() cannot be encoded [PIN083]`,
		}},
		"a func in a map": {put("req Req", "") + "\ntype Req struct{ M map[string]*[]func() }", []string{
			`4:24-27 Req.M[][]: func() cannot be encoded [PIN083] | 5:18 the field`,
		}},
		"a map of bools": {put("", "map[bool]int"), []string{
			`4:22-34 map[bool]int: a map's key can't be bool [PIN083]`,
		}},
		"an interface": {put("", "(Res, error)") + "\ntype Res struct{ R io.Reader }", []string{
			`4:23-26 Res.R: io.Reader cannot be encoded: what it holds can't be decoded again [PIN083] | 5:18 the field`,
		}},
		"a struct of secrets": {put("", "(Res, error)") + "\ntype Res struct{ Mu sync.Mutex }", []string{
			`4:23-26 Res.Mu: sync.Mutex cannot be encoded: all its fields are unexported, so it would be {} [PIN083] | 5:18 the field`,
		}},
		"an embedded pointer": {put("", "(Res, error)") + "\ntype Res struct{ *inner }\n\ntype inner struct{ A int }", []string{
			`4:23-26 Res.inner: *inner cannot be decoded: it is an embedded pointer to an unexported struct [PIN083] | 5:19 the field`,
		}},
		"a JSON name twice": {put("", "(Res, error)") + "\ntype Res struct{\n\tA int `json:\"x\"`\n\tB int `json:\"x\"`\n}", []string{
			`4:23-26 Res: fields A and B are both "x" in JSON [PIN083] | 7:2 the field`,
		}},
		"a bad pattern": {room + "//pinned:route GET /x/{n\nfunc (r *Room) Get() {}", []string{
			`3:20-25 pattern "/x/{n": bad wildcard segment (must end with '}') [PIN064]`,
		}},
		"a rest that goes on": {room + "//pinned:route GET /x/{n...}/y\nfunc (r *Room) Get(n string) {}", []string{
			`3:20-31 pattern "/x/{n...}/y": {...} wildcard not at end [PIN064]`,
		}},
		"a wildcard twice": {room + "//pinned:route GET /{n}/{n}\nfunc (r *Room) Get(n string) {}", []string{
			`3:20-28 pattern "/{n}/{n}": duplicate wildcard name "n" [PIN064]`,
		}},
		"an unclean pattern": {room + "//pinned:route GET /x//y\nfunc (r *Room) Get() {}", []string{
			`3:20-25 pattern "/x//y": non-CONNECT pattern with unclean path can never match [PIN064]`,
		}},
		"nine wildcards": {room + "//pinned:route GET /{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}\nfunc (r *Room) Get(a, b, c, d, e, f, g, h, i string) {}", []string{
			`3:20-56 pattern "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}": it has 9 wildcards, and 8 are the most [PIN064]`,
		}},
		"a route twice": {room + "//pinned:route GET /x\n//pinned:route GET /x\nfunc (r *Room) Get() {}", []string{
			`4:20-22 Get has the route GET /x twice [PIN065] | 3:20 GET /x, of Get`,
		}},
		"a route of another": {room + "//pinned:route GET /x\nfunc (r *Room) A() {}\n\n//pinned:route GET /x\nfunc (r *Room) B() {}", []string{
			`6:20-22 route GET /x is taken by A [PIN065] | 3:20 GET /x, of A`,
		}},
		"a conflict": {room + "//pinned:route GET /{a}/x\nfunc (r *Room) A(a string) {}\n\n//pinned:route GET /x/{b}\nfunc (r *Room) B(b string) {}", []string{
			`6:20-26 route GET /x/{b} conflicts with GET /{a}/x: GET /{a}/x matches "/a/x", but GET /x/{b} doesn't [PIN065] | 3:20 GET /{a}/x, of A`,
		}},
		"HEAD against GET": {room + "//pinned:route HEAD /{a}\nfunc (r *Room) A(a string) {}\n\n//pinned:route GET /x\nfunc (r *Room) B() {}", []string{
			`6:20-22 route GET /x conflicts with HEAD /{a}: GET /x matches more methods than HEAD /{a}, but has a more specific path pattern [PIN065] | 3:21 HEAD /{a}, of A`,
		}},
		"never": {room + "//pinned:route GET /x/{a...}\nfunc (r *Room) A(a string) {}\n\n//pinned:route GET /x/{$}\nfunc (r *Room) B() {}\n\n//pinned:route GET /x/{b}/{c...}\nfunc (r *Room) C(b, c string) {}\n\n//pinned:route GET /x/{b}\nfunc (r *Room) D(b string) {}", []string{
			`3:20-29 route GET /x/{a...} can never match: others such as GET /x/{$} win [PIN066] | 6:20 GET /x/{$}, of B`,
		}},
		"limit on GET": {room + "//pinned:route GET /x limit=3\nfunc (r *Room) Get() {}", []string{
			`3:23-30 limit= bounds a body, and GET requests have none [PIN077]`,
		}},
		"limit without body": {room + "//pinned:route PUT /x limit=3\nfunc (r *Room) Put() {}", []string{
			`3:23-30 limit= bounds a body, and Put reads none [PIN077]`,
		}},
		"no auth method": {room + "//pinned:route GET /x auth=Admin\nfunc (r *Room) Get() {}", []string{
			`3:28-33 auth=Admin: *Room has no method of that name [PIN078]`,
		}},
		"a wrong auth method": {room + "//pinned:route GET /x auth=Admin\nfunc (r *Room) Get() {}\n\nfunc (r *Room) Admin() error { return nil }", []string{
			`3:28-33 auth=Admin: its signature must be Admin(context.Context, *http.Request, pinned.Caller) error [PIN078] | 6:16 Admin is declared here`,
		}},
		"an undefined type": {put("ctx context.Context, req Missing", ""), []string{
			`4:45-45 undefined: Missing [PIN036]`,
		}},
		"an undefined field type": {put("ctx context.Context, req Req", "") + "\ntype Req struct{ A []Inner }\n\ntype Inner struct {\n\tB Missing\n}", []string{
			`8:4-4 undefined: Missing [PIN036]`,
		}},
		"nothing declared": {room + "func (r *Room) x() Missing { return nil }", nil},
	})
}

func TestRequestsAreRefused(t *testing.T) {
	get := func(fields string) string {
		return room + "//pinned:route GET /x\nfunc (r *Room) Get(req Req) {}\n\ntype Req struct {\n" + fields + "\n}"
	}
	put := func(fields string) string {
		return room + "//pinned:route PUT /x\nfunc (r *Room) Put(req Req) {}\n\ntype Req struct {\n" + fields + "\n}"
	}
	refused(t, map[string]refusal{
		"no tag on GET": {get("\tA int `query:\"a\"`\n\tB int"), []string{
			`8:2-3 Req.B: GET requests have no body, so each field needs query: or header: [PIN080] | 4:24 the request struct of Get`,
		}},
		"json dash on GET": {get("\tB int `json:\"-\"`"), []string{
			`7:2-3 Req.B: GET requests have no body, so each field needs query: or header: [PIN080] | 4:24 the request struct of Get`,
		}},
		"both tags": {put("\tA int `query:\"a\" header:\"A\"`"), []string{
			`7:2-3 Req.A: it has both query: and header: [PIN080] | 4:24 the request struct of Put`,
		}},
		"default alone": {put("\tA int `default:\"1\"`"), []string{
			`7:2-3 Req.A: default: is for fields with query: or header: [PIN080] | 4:24 the request struct of Put`,
		}},
		"unexported": {put("\ta int `query:\"a\"`"), []string{
			`7:2-3 Req.a: it is unexported, so its tag can't be obeyed [PIN080] | 4:24 the request struct of Put`,
		}},
		"no name": {put("\tA int `query:\"\"`"), []string{
			`7:2-3 Req.A: query: needs a name [PIN080] | 4:24 the request struct of Put`,
		}},
		"options": {put("\tA int `query:\"a,omitempty\"`"), []string{
			`7:2-3 Req.A: query: takes a name and no options [PIN080] | 4:24 the request struct of Put`,
		}},
		"a bad header": {put("\tA int `header:\"X Y\"`"), []string{
			`7:2-3 Req.A: header: X Y can't be the name of a header [PIN080] | 4:24 the request struct of Put`,
		}},
		"a header that goes": {put("\tA int `header:\"host\"`"), []string{
			`7:2-3 Req.A: header: host doesn't reach a handler [PIN080] | 4:24 the request struct of Put`,
		}},
		"a query twice": {put("\tA int `query:\"a\"`\n\tB int `query:\"a\"`"), []string{
			`8:2-3 query "a" is read into both A and B [PIN081] | 7:2 the first | 4:24 the request struct of Put`,
		}},
		"a header twice": {put("\tA int `header:\"x-a\"`\n\tB int `header:\"X-A\"`"), []string{
			`8:2-3 header "X-A" is read into both A and B [PIN081] | 7:2 the first | 4:24 the request struct of Put`,
		}},
		"a map": {put("\tA map[string]int `query:\"a\"`"), []string{
			`7:2-3 Req.A: map[string]int can't be read from a query: it is not a string, a number, a bool or an encoding.TextUnmarshaler [PIN080] | 4:24 the request struct of Put`,
		}},
		"bytes": {put("\tA []byte `query:\"a\"`"), []string{
			`7:2-3 Req.A: []byte can't be read from a query: a []byte can't be told from a list of numbers: use a string [PIN080] | 4:24 the request struct of Put`,
		}},
		"a slice of slices": {put("\tA [][]int `query:\"a\"`"), []string{
			`7:2-3 Req.A: [][]int can't be read from a query: it is not a string, a number, a bool or an encoding.TextUnmarshaler [PIN080] | 4:24 the request struct of Put`,
		}},
		"a pointer to pointer": {put("\tA **int `query:\"a\"`"), []string{
			`7:2-3 Req.A: **int can't be read from a query: it is not a string, a number, a bool or an encoding.TextUnmarshaler [PIN080] | 4:24 the request struct of Put`,
		}},
		"a struct": {put("\tA struct{} `query:\"a\"`"), []string{
			`7:2-3 Req.A: struct{} can't be read from a query: it is not a string, a number, a bool or an encoding.TextUnmarshaler [PIN080] | 4:24 the request struct of Put`,
		}},
		"a bad default": {put("\tA int8 `query:\"a\" default:\"300\"`"), []string{
			`7:2-3 Req.A: default: 300 doesn't fit int8: it must be an integer of 8 bits [PIN080] | 4:24 the request struct of Put`,
		}},
		"a bad bool": {put("\tA *bool `query:\"a\" default:\"ja\"`"), []string{
			`7:2-3 Req.A: default: ja doesn't fit bool: it must be true or false [PIN080] | 4:24 the request struct of Put`,
		}},
		"a bad uint": {put("\tA uint `query:\"a\" default:\"-1\"`"), []string{
			`7:2-3 Req.A: default: -1 doesn't fit uint: it must be an unsigned integer of 64 bits [PIN080] | 4:24 the request struct of Put`,
		}},
		"a bad float": {put("\tA float32 `query:\"a\" default:\"x\"`"), []string{
			`7:2-3 Req.A: default: x doesn't fit float32: it must be a number [PIN080] | 4:24 the request struct of Put`,
		}},
		"a bad time": {put("\tA time.Time `query:\"a\" default:\"now\"`"), []string{
			`7:2-3 Req.A: default: now doesn't fit time.Time: it must be a time such as 2006-01-02T15:04:05Z [PIN080] | 4:24 the request struct of Put`,
		}},
		"a default of a list": {put("\tA []int `query:\"a\" default:\"1\"`"), []string{
			`7:2-3 Req.A: default: isn't for a list [PIN080] | 4:24 the request struct of Put`,
		}},
		"an embedded pointer": {put("\t*Page\n}\n\ntype Page struct {\n\tAfter int `query:\"after\"`"), []string{
			`7:3-7 Req.Page: a struct with query: or header: tags is embedded by value, not by pointer [PIN080] | 4:24 the request struct of Put`,
		}},
		"a tag further in": {put("\tPage Page\n}\n\ntype Page struct {\n\tAfter int `query:\"after\"`"), []string{
			`4:24-27 Req.Page.After: query: has no effect in a struct inside a request struct [PIN080] | 11:2 the field`,
		}},
		"a name of the body": {put("\tA int `query:\"a\"`\n\tB int `json:\"a\"`"), []string{
			`7:2-3 A is never read from the body, but encoding/json calls it "A", like B: tag it json:"-" [PIN082] | 8:2 this one is read from the body | 4:24 the request struct of Put`,
		}},
		"a func": {put("\tItems []Item\n}\n\ntype Item struct {\n\tFn func()"), []string{
			`4:24-27 Req.Items[].Fn: func() cannot be encoded [PIN083] | 11:2 the field`,
		}},
		"a promoted method": {put("\tAt At\n}\n\ntype At struct {\n\ttime.Time\n\tName string"), []string{
			`4:24-27 Req.At: At cannot be encoded: MarshalJSON is that of the embedded Time, so that Name would be lost: don't embed it, or declare the method [PIN083] | 7:2 the field`,
		}},
		"a method promoted twice": {put("\tAt At\n}\n\ntype At struct{ Mid }\n\ntype Mid struct {\n\ttime.Time\n\tName string"), []string{
			`4:24-27 Req.At: At cannot be encoded: MarshalJSON is that of the embedded Time, so that Name would be lost: don't embed it, or declare the method [PIN083] | 7:2 the field`,
		}},
		"two forms": {put("\tA A\n}\n\ntype A struct{}\n\nfunc (A) MarshalJSON() ([]byte, error) { return nil, nil }\n\nfunc (*A) UnmarshalText([]byte) error { return nil }\n\ntype X struct {"), []string{
			`4:24-27 Req.A: A cannot be encoded: it is encoded by MarshalJSON and decoded by UnmarshalText, which don't go together [PIN083] | 7:2 the field`,
		}},
		"half a form": {put("\tA A\n\tB B\n}\n\ntype A struct{}\n\nfunc (A) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype B struct{}\n\nfunc (*B) UnmarshalText([]byte) error { return nil }\n\ntype X struct {"), []string{
			`4:24-27 Req.A: A cannot be encoded: it has MarshalJSON, and nothing that decodes that again [PIN083] | 7:2 the field`,
			`4:24-27 Req.B: B cannot be encoded: it has UnmarshalText, and nothing that encodes it so [PIN083] | 8:2 the field`,
		}},
		"a pointer's method in a map": {put("\tA map[string]big.Int\n\tB map[string]*big.Int\n\tC map[string]struct{ N big.Int }\n\tD map[string][]big.Int"), []string{
			`4:24-27 Req.A[]: big.Int cannot be encoded: MarshalJSON has a pointer receiver, which doesn't count in a value of a map: use a map of pointers [PIN083] | 7:2 the field`,
			`4:24-27 Req.C[].N: big.Int cannot be encoded: MarshalJSON has a pointer receiver, which doesn't count in a value of a map: use a map of pointers [PIN083] | 9:23 the field`,
		}},
		"fields lost between two": {put("\tA\n\tB\n}\n\ntype A struct{ X, Y int }\n\ntype B struct {\n\tX int\n\tZ int `json:\"Y\"`"), []string{
			`4:24-27 Req.A.X and Req.B.X are both "X" in JSON, at one depth, so that encoding/json drops them [PIN083] | 14:2 the field`,
		}},
		"an option of an embedded struct": {put("\tA `json:\",omitempty\"`\n\tB\n}\n\ntype A struct{ X int }\n\ntype B struct {\n\tX int"), []string{
			`4:24-27 Req.A.X and Req.B.X are both "X" in JSON, at one depth, so that encoding/json drops them [PIN083] | 14:2 the field`,
		}},
		"a header that net/http keeps": {put("\tN int `header:\"content-length\"`"), []string{
			`7:2-3 Req.N: header: Content-Length isn't among the headers of a request: net/http keeps it to itself [PIN080] | 4:24 the request struct of Put`,
		}},
		"a wrong Validate": {put("\tA int\n}\n\nfunc (r *Req) Validate() bool { return false }\n\ntype X struct {"), []string{
			`4:24-27 Validate of request type Req must be Validate() error [PIN047] | 10:15 the method`,
		}},
		"its own JSON on GET": {get("\tA int\n}\n\nfunc (r *Req) UnmarshalJSON([]byte) error { return nil }\n\nfunc (r Req) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {"), []string{
			`4:24-27 Req reads its own JSON, but GET requests have no body [PIN080]`,
		}},
	})
}

func TestErrorsAreRefused(t *testing.T) {
	refused(t, map[string]refusal{
		"a variable of another type": {"//pinned:error a 404\nvar A int", []string{
			`2:5-6 A can't be declared as an error: int doesn't implement error [PIN090]`,
		}},
		"a type of another kind": {"//pinned:error a 404\ntype A struct{}", []string{
			`2:6-7 A can't be declared as an error: it doesn't implement error [PIN090]`,
		}},
		"an interface": {"//pinned:error a 404\ntype A interface{ error }", []string{
			`2:6-7 A is an interface: an error that travels is a variable or a concrete type [PIN090]`,
		}},
		"type parameters": {"//pinned:error a 404\ntype A[T any] struct{}\n\nfunc (a A[T]) Error() string { return \"\" }", []string{
			`2:6-7 A has type parameters: an error that travels can't have any [PIN090]`,
		}},
		"a blank": {"//pinned:error a 404\nvar _ error", []string{
			`2:5-6 an error that travels needs a name [PIN090]`,
		}},
		"a func in it": {"//pinned:error a 404\ntype A struct{ F func() }\n\nfunc (a A) Error() string { return \"\" }", []string{
			`2:6-7 A.F: func() cannot be encoded [PIN083] | 2:16 the field`,
		}},
		"a code twice": {"//pinned:error a 404\nvar A error\n\n//pinned:error a 405\nvar B error", []string{
			`4:16-17 error code "a" is taken by A [PIN091] | 1:16 A has it`,
		}},
		"two codes": {"//pinned:error a 404\n//pinned:error b 405\nvar A error", []string{
			`2:1-15 A is declared as an error twice: an error has one code [PIN094] | 1:16 the first`,
		}},
		"two codes of a type": {"//pinned:error a 404\n//pinned:error b 404\ntype A struct{}\n\nfunc (A) Error() string { return \"\" }", []string{
			`2:1-15 A is declared as an error twice: an error has one code [PIN094] | 1:16 the first`,
		}},
		"a name that is taken": {"//pinned:error a 404\nvar PinnedErrors error", []string{
			`2:5-17 PinnedErrors is a name that pinnedgen generates: call this otherwise [PIN092] | 1:16 generated for the error table`,
		}},
	})
}
