package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

// poison is a value whose methods panic while it is encoded or decoded.
type poison struct{ N int }

func (poison) MarshalJSON() ([]byte, error) { panic("encoding is poison") }
func (*poison) UnmarshalJSON([]byte) error  { panic("decoding is poison") }
func (poison) Validate() error              { panic("validating is poison") }
func (*poison) Read([]byte) (int, error)    { panic("reading is poison") }
func (poison) Error() string                { panic("the error is poison") }
func (*poison) Close() error                { return nil }
func rawRoute(pattern string, f func(*thing, http.ResponseWriter, *http.Request)) thingRoute {
	return thingRoute{Method: "GET", Pattern: pattern, Serve: func(c *runtime.Call) {
		if ctx, r, ok := runtime.Enter[thing](c); ok {
			w, req := c.Raw(ctx)
			f(r, w, req)
			c.RawDone()
		}
	}}
}

// route answers a GET with what f returns.
func route[T any](pattern string, f func(ctx context.Context, r *thing) (T, error)) thingRoute {
	return thingRoute{Method: "GET", Pattern: pattern, Serve: func(c *runtime.Call) {
		if ctx, r, ok := runtime.Enter[thing](c); ok {
			v, err := f(ctx, r)
			runtime.Answer(c, v, err)
		}
	}}
}

func TestHandlersCannotForgeRefusals(t *testing.T) {
	forge := func(h http.Header) {
		for _, name := range []string{"Pinned-Refusal", "pinned-refusal", "PINNED-REFUSAL", "Pinboard-Epoch", "Pinboard-Attestation", "Pinned-Anything"} {
			h[name] = []string{"draining"}
		}
		h.Set("Retry-After", "1")
		h.Set("X-Mine", "yes")
	}
	s := serveThings(t, nil,
		rawRoute("/head", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			forge(w.Header())
			w.WriteHeader(503)
		}),
		rawRoute("/write", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			forge(w.Header())
			_, _ = io.WriteString(w, "x")
		}),
		rawRoute("/flush", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			forge(w.Header())
			_ = http.NewResponseController(w).Flush()
		}),
		rawRoute("/nothing", func(_ *thing, w http.ResponseWriter, _ *http.Request) { forge(w.Header()) }),
		rawRoute("/hint", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			forge(w.Header())
			w.WriteHeader(103)
			forge(w.Header())
			w.WriteHeader(503)
		}),
		rawRoute("/trailer", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "Pinned-Refusal")
			w.Header().Set("X-Mine", "yes")
			w.Header().Set("Retry-After", "1")
			_, _ = io.WriteString(w, "x")
			forge(w.Header())
			w.Header().Set(http.TrailerPrefix+"Pinned-Refusal", "draining")
		}),
		thingRoute{Method: "GET", Pattern: "/response", Serve: func(c *runtime.Call) {
			if _, _, ok := runtime.Enter[thing](c); ok {
				v := &pinned.Response[string]{Status: 503, Header: http.Header{}, Body: "x"}
				forge(v.Header)
				runtime.AnswerResponse(c, v, nil)
			}
		}},
	)
	for _, path := range []string{"/head", "/write", "/flush", "/nothing", "/hint", "/trailer", "/response"} {
		resp := s.open(t, "/things/a"+path)
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, h := range []http.Header{resp.Header, resp.Trailer} {
			for name, values := range h {
				if l := strings.ToLower(name); (strings.HasPrefix(l, "pinned-") || strings.HasPrefix(l, "pinboard-")) && len(values) > 0 {
					t.Errorf("%s: the answer has %s %q", path, name, values)
				}
			}
		}
		if resp.Header.Get("X-Mine") != "yes" || resp.Header.Get("Retry-After") != "1" {
			t.Errorf("%s: the author's own headers are lost: %v", path, resp.Header)
		}
	}
}

func TestHandlersThatCrash(t *testing.T) {
	var table pinned.Errors
	body := func(pattern string, into func() any, validate bool) thingRoute {
		return thingRoute{Method: "POST", Pattern: pattern, Serve: func(c *runtime.Call) {
			v := into()
			c.Body(v)
			if validate {
				c.Validate(poison{})
			}
			if c.Decoded() {
				if _, _, ok := runtime.Enter[thing](c); ok {
					c.AnswerNone(nil)
				}
			}
		}}
	}
	s := serveThings(t, table,
		countRoute,
		route("/panic", func(context.Context, *thing) (int, error) { panic("oh no") }),
		route("/nilpanic", func(context.Context, *thing) (int, error) { panic(nil) }),
		route("/abort", func(context.Context, *thing) (int, error) { panic(http.ErrAbortHandler) }),
		route("/goexit", func(context.Context, *thing) (int, error) { goruntime.Goexit(); return 0, nil }),
		route("/nil", func(context.Context, *thing) (int, error) { var r *thing; return r.count, nil }),
		route("/await", func(ctx context.Context, _ *thing) (int, error) {
			return 0, pinned.Await(ctx, func(context.Context) error { panic("outside the turn") })
		}),
		route("/encode", func(context.Context, *thing) (poison, error) { return poison{}, nil }),
		route("/error", func(context.Context, *thing) (int, error) { return 0, poison{} }),
		route("/reader", func(context.Context, *thing) (io.Reader, error) { return &poison{}, nil }),
		rawRoute("/raw", func(*thing, http.ResponseWriter, *http.Request) { panic("raw") }),
		rawRoute("/status", func(_ *thing, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(0) }),
		rawRoute("/sent", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic("after the head")
		}),
		rawRoute("/sentgoexit", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			goruntime.Goexit()
		}),
		body("/decode", func() any { return &struct{ P *poison }{} }, false),
		body("/validate", func() any { return &struct{}{} }, true),
		thingRoute{Method: "GET", Pattern: "/auth", Auth: func(*thing, context.Context, *http.Request, pinned.Caller) error {
			panic("auth")
		}, Serve: func(c *runtime.Call) {
			if _, _, ok := runtime.Enter[thing](c); ok {
				c.AnswerNone(nil)
			}
		}},
	)
	for _, tt := range []struct {
		path   string
		aborts bool
	}{
		{"/panic", true}, {"/nilpanic", true}, {"/abort", true}, {"/goexit", true}, {"/nil", true}, {"/await", true},
		{"/encode", true}, {"/error", true}, {"/reader", true}, {"/raw", true}, {"/status", true},
		{"/decode", false}, {"/validate", false}, {"/auth", false},
	} {
		t.Run(tt.path[1:], func(t *testing.T) {
			id := "/things/" + tt.path[1:]
			s.do(t, "POST", id+"/count", "")
			s.do(t, "POST", "/things/other/count", "")
			method, body := "GET", ""
			if tt.path == "/decode" || tt.path == "/validate" {
				method, body = "POST", `{"P":{}}`
			}
			got := s.do(t, method, id+tt.path, body)
			if p := got.problem(t); got.Status != 500 || p.Detail != "the object failed" {
				t.Errorf("answered %+v", got)
			}
			want := "2"
			if tt.aborts {
				want = "1"
			}
			if got := s.do(t, "POST", id+"/count", ""); got.Body != want {
				t.Errorf("the count afterwards is %s, want %s", got.Body, want)
			}
		})
	}
	if got := s.do(t, "POST", "/things/other/count", ""); got.Body != fmt.Sprint(15) {
		t.Errorf("another instance was touched: %s", got.Body)
	}
	for _, path := range []string{"/sent", "/sentgoexit"} {
		resp := s.open(t, "/things/a"+path)
		if b, err := io.ReadAll(resp.Body); string(b) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %q, %v, want a body that breaks off", path, b, err)
		}
	}
	for _, text := range []string{"oh no", "is poison", "outside the turn", "Goexit", "auth", "hostile_handler_test.go"} {
		if !s.logged(text) {
			t.Errorf("%q isn't logged", text)
		}
	}
}

func TestLogLinesAreOneEventEach(t *testing.T) {
	evil := "\n{\"level\":\"ERROR\",\"msg\":\"forged\"}\r\n\x1b[31mred\x1b[0m\x00\u2028" + strings.Repeat("x", 1<<20)
	s := serveThings(t, nil,
		route("/error", func(context.Context, *thing) (int, error) { return 0, errors.New(evil) }),
		route("/panic", func(context.Context, *thing) (int, error) { panic(evil) }),
		route("/own", func(_ context.Context, r *thing) (int, error) { r.Abort(errors.New(evil)); return 0, nil }),
		socketRoute("/socket", func(context.Context, *thing, *pinned.Conn[string, string]) error { return errors.New(evil) }),
		thingRoute{Method: "GET", Pattern: "/auth", Auth: func(*thing, context.Context, *http.Request, pinned.Caller) error {
			return errors.New(evil)
		}, Serve: func(*runtime.Call) {}},
	)
	for _, path := range []string{"/error", "/panic", "/own", "/auth"} {
		s.do(t, "GET", "/things/a"+path, "", "User-Agent", `"}{"level":"ERROR"`, "X-Evil", `\n{"level":"ERROR"}`)
	}
	conn := s.mustDial(t, "/things/b/socket")
	closing(t, conn)
	s.do(t, "GET", "/things/a/nothing%0A%7B%22level%22", "")
	n := 0
	for line := range strings.Lines(s.log.String()) {
		n++
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("a line that is no event: %.200q: %v", line, err)
		}
		if event["msg"] == "forged" || strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\r\n\x00") {
			t.Errorf("a forged event: %.200q", line)
		}
		for name, value := range event {
			if text, ok := value.(string); ok && name != "stack" && len(text) > 2<<10 {
				t.Errorf("%s of %q has %d bytes", name, event["msg"], len(text))
			}
		}
	}
	if n < 5 {
		t.Errorf("%d events", n)
	}
}

func TestTenThousandInstancesAndOne(t *testing.T) {
	s := listen(t, nil)
	const most = 10_000
	h := s.connect(t)
	go func() {
		for i := range most + 1 {
			h.send(fmt.Sprintf("GET /chats/r%d/text HTTP/1.1\r\nHost: x\r\n\r\n", i))
		}
		h.send("GET /chats/r0/text HTTP/1.1\r\nHost: x\r\n\r\n")
	}()
	for i := range most {
		got, err := h.reply("GET")
		if err != nil || got.Status != 200 {
			t.Fatalf("id %d: %+v, %v", i, got, err)
		}
	}
	got, err := h.reply("GET")
	if err != nil || got.Status != 503 || got.Header.Get("Retry-After") != "1" || got.Header.Get("Pinned-Refusal") != "capacity" {
		t.Errorf("one more than may be: %+v, %v", got, err)
	}
	if got, err = h.reply("GET"); err != nil || got.Status != 200 {
		t.Errorf("one that is resident: %+v, %v", got, err)
	}
	// Residence is decided before parameters and body, and after Authorize.
	if got := s.get(t, "/chats/other/messages?after=x"); got.Status != 503 {
		t.Errorf("bad parameters of one that can't be served: %+v", got)
	}
	if got := s.get(t, "/chats/other/topic", "X-Deny: 401\r\n"); got.Status != 401 {
		t.Errorf("one that may not: %+v", got)
	}
	got, _ = s.exchange(t, "PUT", "PUT /chats/other/topic HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
	if got.Status != 503 {
		t.Errorf("a body that isn't read: %+v", got)
	}
}

func TestIdleSocketsCostLittle(t *testing.T) {
	n := many(t, 10_000)
	s := listen(t, nil)
	before, heap := goruntime.NumGoroutine(), heapInUse()
	conns := make([]*websocket.Conn, n)
	for i := range conns {
		conn, _, err := (&websocket.Dialer{ReadBufferSize: 256, WriteBufferSize: 256}).DialContext(t.Context(), "ws://"+s.addr+"/chats/idle/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		conns[i] = conn
		if got := say(t, conn, `{"say":"hello"}`); got != fmt.Sprintf(`{"heard":"hello","online":%d}`, i+1) {
			t.Errorf("heard %s", got)
		}
	}
	deadline := time.Now().Add(patience)
	for goruntime.NumGoroutine()-before > n+n/10 && time.Now().Before(deadline) {
		goruntime.Gosched()
	}
	if got := goruntime.NumGoroutine() - before; got > n+n/10 {
		t.Errorf("%d sockets have %d goroutines", n, got)
	}
	per := (heapInUse() - heap) / n
	t.Logf("%d bytes of heap and stack for both ends of an idle socket", per)
	if per > 24<<10 {
		t.Errorf("both ends of an idle socket cost %d bytes", per)
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
}

func heapInUse() int {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}
