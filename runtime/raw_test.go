package runtime_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pinned-go/pinned/runtime"
)

func TestRawHandlers(t *testing.T) {
	s := serveThings(t, thingErrors,
		rawRoute("/default", func(*thing, http.ResponseWriter, *http.Request) {}),
		rawRoute("/error", func(_ *thing, w http.ResponseWriter, _ *http.Request) { http.Error(w, "mine", 418) }),
		rawRoute("/503", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(503)
		}),
		rawRoute("/head", func(_ *thing, w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Method) }),
		rawRoute("/deadline", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			rc := http.NewResponseController(w)
			if err := errors.Join(rc.SetReadDeadline(time.Now().Add(patience)), rc.SetWriteDeadline(time.Now().Add(patience)), rc.EnableFullDuplex()); err != nil {
				http.Error(w, err.Error(), 500)
			}
		}),
		rawRoute("/hijack", func(_ *thing, w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				http.Error(w, err.Error(), 500)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "HTTP/1.1 299 Mine\r\nContent-Length: 2\r\n\r\nhi")
		}),
		rawRoute("/ctx", func(_ *thing, w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}),
		rawRoute("/abort", func(r *thing, w http.ResponseWriter, _ *http.Request) {
			r.Abort(errors.New("enough"))
			w.Header().Set("Content-Length", "7")
		}),
		rawRoute("/abortlate", func(r *thing, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			r.Abort(errors.New("enough"))
		}),
	)
	for _, tt := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/default", 200, ""},
		{"GET", "/error", 418, "mine\n"},
		{"GET", "/503", 503, ""},
		{"GET", "/head", 200, "GET"},
		{"HEAD", "/head", 200, ""},
		{"GET", "/deadline", 200, ""},
		{"GET", "/hijack", 299, "hi"},
	} {
		if got := s.do(t, tt.method, "/things/a"+tt.path, ""); got.Status != tt.status || got.Body != tt.body {
			t.Errorf("%s %s: %+v", tt.method, tt.path, got)
		}
	}
	if got := s.do(t, "GET", "/things/a/503", ""); got.Header.Get("Retry-After") != "7" || got.Header.Get("Pinned-Refusal") != "" {
		t.Errorf("an author's own 503: %+v", got)
	}
	if got := s.do(t, "GET", "/things/a/abort", ""); got.Status != 503 || got.problem(t).Detail != "instance aborted" {
		t.Errorf("a raw handler whose instance aborted: %+v", got)
	}
	resp := s.open(t, "/things/a/abortlate")
	if b, err := io.ReadAll(resp.Body); string(b) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("one that had answered already: %q, %v", b, err)
	}
	// The client leaves: the handler's context ends, which Shutdown waits for.
	_ = s.open(t, "/things/a/ctx").Body.Close()
}

func TestRawBodiesYieldAndAreLimited(t *testing.T) {
	reading := make(chan struct{}, 1)
	s := serveThings(t, thingErrors, countRoute,
		thingRoute{Method: "PUT", Pattern: "/raw", Limit: 10, Serve: func(c *runtime.Call) {
			if ctx, _, ok := runtime.Enter[thing](c); ok {
				w, r := c.Raw(ctx)
				reading <- struct{}{}
				b, err := io.ReadAll(r.Body)
				if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
					http.Error(w, "mine: too large", http.StatusRequestEntityTooLarge)
				} else {
					_, _ = w.Write(b)
				}
				c.RawDone()
			}
		}},
		thingRoute{Method: "PUT", Pattern: "/request", Limit: 10, Serve: func(c *runtime.Call) {
			if ctx, _, ok := runtime.Enter[thing](c); ok {
				b, err := io.ReadAll(c.Request(ctx).Body)
				runtime.Answer(c, len(b), err)
			}
		}},
	)
	for _, tt := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/raw", "0123456789", 200, "0123456789"},
		{"/raw", "0123456789a", 413, "mine: too large\n"},
		{"/request", "0123456789", 200, "10"},
		{"/request", "0123456789a", 413, ""},
		{"/request", "", 200, "0"},
	} {
		got := s.do(t, "PUT", "/things/a"+tt.path, tt.body)
		if got.Status != tt.status || tt.want != "" && got.Body != tt.want {
			t.Errorf("%s %q: %+v", tt.path, tt.body, got)
		}
		if tt.path == "/raw" {
			<-reading
		}
	}

	// A body that comes slowly holds no turn.
	body, more := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "PUT", s.URL+"/things/a/raw", body)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan string, 1)
	go func() {
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		answered <- string(b)
	}()
	_, _ = io.Copy(more, strings.NewReader("01"))
	await(t, "the handler", reading)
	for range 5 {
		if got := s.do(t, "POST", "/things/a/count", ""); got.Status != 200 {
			t.Fatalf("beside a slow body: %+v", got)
		}
	}
	_, _ = io.Copy(more, strings.NewReader("23"))
	_ = more.Close()
	if got := await(t, "the answer", answered); got != "0123" {
		t.Errorf("a body in parts: %q", got)
	}
}
