package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/runtime"
)

// responseRoute answers with what f returns, status and headers included.
func responseRoute[T any](pattern string, v *pinned.Response[T]) thingRoute {
	return thingRoute{Method: "GET", Pattern: pattern, Serve: func(c *runtime.Call) {
		if _, _, ok := runtime.Enter[thing](c); ok {
			runtime.AnswerResponse(c, v, nil)
		}
	}}
}

func TestResponses(t *testing.T) {
	s := serveThings(t, nil,
		responseRoute("/default", &pinned.Response[int]{Body: 7}),
		responseRoute("/201", &pinned.Response[int]{Status: 201, Body: 7}),
		responseRoute("/204", &pinned.Response[int]{Status: 204, Body: 7, Header: http.Header{"X-A": {"b"}}}),
		responseRoute("/304", &pinned.Response[int]{Status: 304, Body: 7, Header: http.Header{"Etag": {`"b"`}}}),
		responseRoute("/302", &pinned.Response[string]{Status: 302, Header: http.Header{"location": {"/there"}}}),
		responseRoute("/404", &pinned.Response[string]{Status: 404, Body: "none"}),
		responseRoute("/type", &pinned.Response[[]byte]{Body: []byte("<p>"), Header: http.Header{"content-type": {"text/html"}}}),
		responseRoute("/framing", &pinned.Response[string]{Body: "abc", Header: http.Header{
			"Content-Length": {"1"}, "Transfer-Encoding": {"gzip"}, "Connection": {"close"}, "X-A": {"b\r\nX-Forged: c"}, "X B": {"c"},
		}}),
		responseRoute[int]("/nil", nil),
		responseRoute("/100", &pinned.Response[int]{Status: 100}),
		responseRoute("/600", &pinned.Response[int]{Status: 600}),
		responseRoute("/-1", &pinned.Response[int]{Status: -1}),
	)
	for _, tt := range []struct {
		path                string
		status              int
		contentType, body   string
		header, headerValue string
	}{
		{"/default", 200, "application/json", "7", "", ""},
		{"/201", 201, "application/json", "7", "", ""},
		{"/204", 204, "", "", "X-A", "b"},
		{"/304", 304, "", "", "Etag", `"b"`},
		{"/302", 302, "text/plain; charset=utf-8", "", "Location", "/there"},
		{"/404", 404, "text/plain; charset=utf-8", "none", "", ""},
		{"/type", 200, "text/html", "<p>", "", ""},
		{"/framing", 200, "text/plain; charset=utf-8", "abc", "X-Forged", ""},
		{"/nil", 500, "application/problem+json", "", "", ""},
		{"/100", 500, "application/problem+json", "", "", ""},
		{"/600", 500, "application/problem+json", "", "", ""},
		{"/-1", 500, "application/problem+json", "", "", ""},
	} {
		got := s.do(t, "GET", "/things/a"+tt.path, "")
		if got.Status != tt.status || got.Header.Get("Content-Type") != tt.contentType ||
			tt.status != 500 && got.Body != tt.body || tt.header != "" && got.Header.Get(tt.header) != tt.headerValue {
			t.Errorf("%s: %+v, want %+v", tt.path, got, tt)
		}
	}
}

// countedReader notes whether it was read and closed.
type countedReader struct {
	io.Reader

	read, closed atomic.Int32
}

func (r *countedReader) Read(p []byte) (int, error) {
	r.read.Add(1)
	return r.Reader.Read(p)
}

func (r *countedReader) Close() error {
	r.closed.Add(1)
	return nil
}

// failing gives some bytes and then an error.
func failing(text string, err error) io.Reader {
	return io.MultiReader(strings.NewReader(text), readerFunc(func([]byte) (int, error) { return 0, err }))
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReaders(t *testing.T) {
	var last atomic.Pointer[countedReader]
	reader := func(pattern string, r func() io.Reader) thingRoute {
		return route(pattern, func(context.Context, *thing) (io.Reader, error) {
			counted := &countedReader{Reader: r()}
			last.Store(counted)
			return counted, nil
		})
	}
	big := strings.Repeat("0123456789", 100_000)
	s := serveThings(t, thingErrors,
		reader("/big", func() io.Reader { return strings.NewReader(big) }),
		reader("/empty", func() io.Reader { return strings.NewReader("") }),
		reader("/first", func() io.Reader { return failing("", errFull) }),
		reader("/later", func() io.Reader { return failing(big, errors.New("secret")) }),
		reader("/stuck", func() io.Reader { return readerFunc(func([]byte) (int, error) { return 0, nil }) }),
		route("/nil", func(context.Context, *thing) (io.Reader, error) { return nil, nil }),
		thingRoute{Method: "GET", Pattern: "/304", Serve: func(c *runtime.Call) {
			if _, _, ok := runtime.Enter[thing](c); ok {
				counted := &countedReader{Reader: strings.NewReader("x")}
				last.Store(counted)
				runtime.AnswerResponse(c, &pinned.Response[io.Reader]{Status: 304, Body: counted}, nil)
			}
		}},
		// It reads with the handler's context, which must last as long.
		route("/ctx", func(ctx context.Context, _ *thing) (io.Reader, error) {
			return readerFunc(func(p []byte) (int, error) {
				if err := ctx.Err(); err != nil {
					return 0, err
				}
				return copy(p, "x"), io.EOF
			}), nil
		}),
	)
	closed := func(what string) {
		t.Helper()
		if n := last.Load().closed.Load(); n != 1 {
			t.Errorf("%s: closed %d times", what, n)
		}
	}
	if got := s.do(t, "GET", "/things/a/big", ""); got.Status != 200 || got.Body != big || got.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("a reader: %d, %d bytes", got.Status, len(got.Body))
	}
	closed("a reader")
	if got := s.do(t, "HEAD", "/things/a/big", ""); got.Status != 200 || last.Load().read.Load() != 0 {
		t.Errorf("HEAD of a reader: %+v", got)
	}
	closed("HEAD")
	for _, path := range []string{"/empty", "/nil"} {
		if got := s.do(t, "GET", "/things/a"+path, ""); got.Status != 200 || got.Body != "" {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if got := s.do(t, "GET", "/things/a/304", ""); got.Status != 304 || last.Load().read.Load() != 0 {
		t.Errorf("304: %+v", got)
	}
	closed("304")
	if got := s.do(t, "GET", "/things/a/first", ""); got.Status != 507 || got.problem(t).Code != "full" {
		t.Errorf("a reader that fails at once: %+v", got)
	}
	closed("a reader that fails")
	if got := s.do(t, "GET", "/things/a/stuck", ""); got.Status != 500 {
		t.Errorf("a reader that gives nothing: %+v", got)
	}
	if got := s.do(t, "GET", "/things/a/ctx", ""); got.Body != "x" {
		t.Errorf("a reader with the handler's context: %+v", got)
	}
	resp := s.open(t, "/things/a/later")
	if b, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) || string(b) != big {
		t.Errorf("a reader that fails later: %d bytes, %v", len(b), err)
	}
	closed("a reader that fails later")
	if !s.logged("secret") {
		t.Error("why a reader failed isn't logged")
	}
}

func TestSlowReadersOfAnswersHoldNoTurn(t *testing.T) {
	big := strings.Repeat("x", 16<<20)
	shared := []byte(big)
	s := serveThings(t, nil, countRoute,
		route("/string", func(context.Context, *thing) (string, error) { return big, nil }),
		route("/bytes", func(context.Context, *thing) ([]byte, error) { return shared, nil }),
		route("/reader", func(context.Context, *thing) (io.Reader, error) { return strings.NewReader(big), nil }),
		rawRoute("/raw", func(_ *thing, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, big) }),
		// The bytes were the handler's until it returned: now they change.
		route("/scribble", func(context.Context, *thing) (string, error) { clear(shared); return "", nil }),
	)
	for _, path := range []string{"/string", "/bytes", "/reader", "/raw"} {
		resp := s.open(t, "/things/a"+path)
		for range 5 {
			if got := s.do(t, "POST", "/things/a/count", ""); got.Status != 200 {
				t.Fatalf("beside a slow reader of %s: %+v", path, got)
			}
		}
		if path == "/bytes" {
			s.do(t, "GET", "/things/a/scribble", "")
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != big {
			t.Errorf("%s: %d bytes, %v", path, len(body), err)
		}
	}
}

func TestWhichErrorIsAnswered(t *testing.T) {
	received := &pinned.Error{Status: 404, Detail: "of another object"}
	bind.SetError(received, nil, int(pinned.Ran), "")
	receivedFull := &pinned.Error{Status: 507, Code: "full"}
	bind.SetError(receivedFull, errFull, int(pinned.Ran), "")
	quota := pinned.ErrorType[*quotaError]("quota", 429)
	table := append(pinned.Errors{quota, pinned.ErrorType[badData]("bad", 418)}, thingErrors...)
	errs := map[string]error{
		"/declared":      errFull,
		"/wrapped":       fmt.Errorf("secret: %w", errFull),
		"/typed":         fmt.Errorf("secret: %w", &quotaError{Left: 3}),
		"/own":           &pinned.Error{Status: 409, Title: "Taken", Detail: "by you", Code: "taken", RetryAfter: 1500e6},
		"/ownwrapped":    fmt.Errorf("secret: %w", &pinned.Error{Status: 409}),
		"/declaredfirst": errors.Join(&pinned.Error{Status: 409}, errFull),
		"/received":      received,
		"/receivedfull":  fmt.Errorf("secret: %w", receivedFull),
		"/other":         errors.New("secret"),
		"/200":           &pinned.Error{Status: 200, Detail: "secret"},
		"/0":             &pinned.Error{Detail: "secret"},
		"/nodata":        badData{},
		"/canceled":      context.Canceled,
		"/fields":        &pinned.Error{Status: 400, Errors: []pinned.FieldError{{Pointer: "/a", Detail: "x"}, {Parameter: "b", Detail: "y"}}},
	}
	var routes []thingRoute
	for path, err := range errs {
		routes = append(routes, route(path, func(context.Context, *thing) (int, error) { return 7, err }))
	}
	s := serveThings(t, table, append(routes, route("/nan", func(context.Context, *thing) (float64, error) { return math.NaN(), nil }))...)
	for _, tt := range []struct {
		path, retry string
		want        problem
		data        string
	}{
		{"/declared", "", problem{Title: "Insufficient Storage", Status: 507, Detail: "the thing is full", Code: "full"}, ""},
		{"/wrapped", "", problem{Title: "Insufficient Storage", Status: 507, Detail: "the thing is full", Code: "full"}, ""},
		{"/typed", "", problem{Title: "Too Many Requests", Status: 429, Detail: "over the quota", Code: "quota"}, `{"left":3}`},
		{"/own", "2", problem{Title: "Taken", Status: 409, Detail: "by you", Code: "taken"}, ""},
		{"/ownwrapped", "", problem{Title: "Conflict", Status: 409}, ""},
		{"/declaredfirst", "", problem{Title: "Insufficient Storage", Status: 507, Detail: "the thing is full", Code: "full"}, ""},
		{"/received", "", problem{Title: "Internal Server Error", Status: 500, Detail: "the object failed"}, ""},
		{"/receivedfull", "", problem{Title: "Insufficient Storage", Status: 507, Detail: "the thing is full", Code: "full"}, ""},
		{"/other", "", problem{Title: "Internal Server Error", Status: 500, Detail: "the object failed"}, ""},
		{"/200", "", problem{Title: "Internal Server Error", Status: 500, Detail: "the object failed"}, ""},
		{"/0", "", problem{Title: "Internal Server Error", Status: 500, Detail: "the object failed"}, ""},
		{"/nodata", "", problem{Title: "Internal Server Error", Status: 500, Detail: "the object failed"}, ""},
		{"/canceled", "", problem{Title: "Internal Server Error", Status: 500, Detail: "the object failed"}, ""},
		{"/nan", "", problem{Title: "Internal Server Error", Status: 500, Detail: "the object failed"}, ""},
	} {
		got := s.do(t, "GET", "/things/a"+tt.path, "")
		p := got.problem(t)
		if p.Title != tt.want.Title || p.Status != tt.want.Status || p.Detail != tt.want.Detail || p.Code != tt.want.Code ||
			string(p.Data) != tt.data || got.Header.Get("Retry-After") != tt.retry || strings.Contains(got.Body, "secret") {
			t.Errorf("%s: %s, Retry-After %q; want %+v %s", tt.path, got.Body, got.Header.Get("Retry-After"), tt.want, tt.data)
		}
	}
	if got := s.do(t, "GET", "/things/a/fields", "").problem(t); len(got.Errors) != 2 || got.Errors[0].where() != "/a" || got.Errors[1].where() != "b" {
		t.Errorf("fields: %+v", got)
	}
}

type quotaError struct {
	Left int `json:"left"`
}

func (*quotaError) Error() string { return "over the quota" }

// badData is a declared error whose JSON can't be made.
type badData struct{}

func (badData) Error() string                { return "bad" }
func (badData) MarshalJSON() ([]byte, error) { return nil, errors.New("no JSON") }
