package runtime_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

var errFull = errors.New("the thing is full")

var thingErrors = pinned.Errors{pinned.ErrorValue("full", 507, errFull)}

// streamRoute is a stream of what f makes.
func streamRoute[T any](pattern string, f func(ctx context.Context, r *thing) iter.Seq2[T, error]) thingRoute {
	return thingRoute{Method: "GET", Pattern: pattern, Serve: func(c *runtime.Call) {
		if ctx, r, ok := runtime.Enter[thing](c); ok {
			runtime.Stream(c, f(ctx, r))
		}
	}}
}

// countRoute counts its calls, in turns.
var countRoute = thingRoute{Method: "POST", Pattern: "/count", Serve: func(c *runtime.Call) {
	if _, r, ok := runtime.Enter[thing](c); ok {
		r.count++
		runtime.Answer(c, r.count, nil)
	}
}}

// abortRoute ends its instance.
var abortRoute = thingRoute{Method: "POST", Pattern: "/abort", Serve: func(c *runtime.Call) {
	if _, r, ok := runtime.Enter[thing](c); ok {
		r.Abort(errors.New("enough"))
		c.AnswerNone(nil)
	}
}}

// open begins to read an answer.
func (s *served) open(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestStreamSendsAnElementWhenItIsMade(t *testing.T) {
	more := make(chan struct{})
	s := serveThings(t, nil, countRoute, streamRoute("/s", func(ctx context.Context, r *thing) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for i := range 3 {
				if !yield(i, nil) {
					return
				}
				_ = pinned.Await(ctx, func(context.Context) error { <-more; return nil })
			}
		}
	}))
	resp := s.open(t, "/things/a/s")
	lines := bufio.NewReader(resp.Body)
	for i := range 3 {
		line, err := lines.ReadString('\n')
		if err != nil || line != string(rune('0'+i))+"\n" {
			t.Fatalf("element %d: %q, %v", i, line, err)
		}
		if got := s.do(t, "POST", "/things/a/count", ""); got.Status != 200 {
			t.Fatalf("beside the stream: %+v", got)
		}
		more <- struct{}{}
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("after the last element: %q, %v; want a clean end", rest, err)
	}
}

func TestSlowReaderHoldsUpItsOwnStreamOnly(t *testing.T) {
	made := make(chan int, 1<<16)
	over := make(chan struct{})
	s := serveThings(t, nil, countRoute, streamRoute("/s", func(_ context.Context, r *thing) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			defer close(over)
			big := strings.Repeat("x", 1<<20)
			for i := 0; yield(big, nil); i++ {
				r.count += 1000 // in the turn
				made <- i
			}
		}
	}))
	resp := s.open(t, "/things/a/s")
	await(t, "the first element", made)
	for i := range 20 {
		if got := s.do(t, "POST", "/things/a/count", ""); got.Status != 200 {
			t.Fatalf("request %d beside a reader that doesn't read: %+v", i, got)
		}
	}
	if n := len(made); n > 64 {
		t.Errorf("%d MiB were made for a reader that hasn't read", n)
	}
	_ = resp.Body.Close()
	await(t, "the end of the iteration", over)
}

func TestClientThatLeavesEndsTheIteration(t *testing.T) {
	type end struct{ held bool }
	ends := make(chan end, 1)
	s := serveThings(t, nil, streamRoute("/s", func(ctx context.Context, r *thing) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			defer func() {
				// A yield panics in tests where the turn isn't held.
				err := pinned.Await(ctx, func(context.Context) error { return nil })
				ends <- end{err == nil || errors.Is(err, context.Canceled)}
			}()
			for i := 0; yield(i, nil); i++ {
				_ = pinned.Await(ctx, func(ctx context.Context) error { <-ctx.Done(); return nil })
			}
		}
	}))
	resp := s.open(t, "/things/a/s")
	if _, err := resp.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if e := await(t, "the end of the iteration", ends); !e.held {
		t.Error("the author's defer ran without the turn")
	}
}

func TestStreamThatFails(t *testing.T) {
	fail := func(elements int, err error) func(context.Context, *thing) iter.Seq2[float64, error] {
		return func(context.Context, *thing) iter.Seq2[float64, error] {
			return func(yield func(float64, error) bool) {
				for i := range elements {
					if !yield(float64(i), nil) {
						return
					}
				}
				yield(0, err)
			}
		}
	}
	s := serveThings(t, thingErrors,
		streamRoute("/first", fail(0, errFull)),
		streamRoute("/later", fail(2, errFull)),
		streamRoute("/secret", fail(1, errors.New("secret"))),
		streamRoute("/own", fail(1, &pinned.Error{Status: 409, Title: "Taken", Detail: "by you"})),
		streamRoute("/nan", func(context.Context, *thing) iter.Seq2[float64, error] {
			return func(yield func(float64, error) bool) { _ = yield(1, nil) && yield(math.NaN(), nil) }
		}),
		streamRoute("/panic", func(context.Context, *thing) iter.Seq2[float64, error] {
			return func(yield func(float64, error) bool) { yield(1, nil); panic("oh no") }
		}),
	)
	if got := s.do(t, "GET", "/things/a/first", ""); got.Status != 507 || got.problem(t).Code != "full" {
		t.Errorf("an error before the first element answered %+v", got)
	}
	for _, tt := range []struct {
		path, code, detail string
		status             int
	}{
		{"/later", "full", errFull.Error(), 507},
		{"/secret", "", "the object failed", 500},
		{"/own", "", "by you", 409},
		{"/nan", "", "the object failed", 500},
		{"/panic", "", "the object failed", 500},
	} {
		for _, accept := range []string{"application/x-ndjson", "text/event-stream"} {
			t.Run(tt.path[1:]+" "+accept, func(t *testing.T) {
				resp := s.open(t, "/things/a"+tt.path, "Accept", accept)
				body, err := io.ReadAll(resp.Body)
				if !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("the body ended with %v, want it broken off", err)
				}
				var record string
				if accept == "text/event-stream" {
					_, record, _ = strings.Cut(string(body), "event: problem\ndata: ")
					if !strings.HasSuffix(record, "\n\n") {
						t.Errorf("record %q", record)
					}
				} else {
					_, record, _ = strings.Cut(string(body), "\n\x1e")
				}
				var p problem
				if err := json.Unmarshal([]byte(record), &p); err != nil {
					t.Fatalf("record %q in %q: %v", record, body, err)
				}
				if p.Status != tt.status || p.Code != tt.code || p.Detail != tt.detail {
					t.Errorf("record %+v, want %+v", p, tt)
				}
			})
		}
	}
	if !s.logged("secret") {
		t.Error("an error without a code isn't logged")
	}
}

func TestHeadOfAStreamComesBeforeItsFirstElement(t *testing.T) {
	more := make(chan struct{})
	s := serveThings(t, thingErrors, streamRoute("/s", func(ctx context.Context, r *thing) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			_ = pinned.Await(ctx, func(context.Context) error { <-more; return nil })
			yield(0, errFull)
		}
	}))
	resp := s.open(t, "/things/a/s") // returns with the head, 1 s later
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("head %d %v", resp.StatusCode, resp.Header)
	}
	close(more)
	body, err := io.ReadAll(resp.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(string(body), "\x1e{") {
		t.Errorf("body %q, %v; want a record and a break", body, err)
	}
}

func TestShutdownEndsStreams(t *testing.T) {
	waiting := make(chan struct{}, 1)
	s := serveThings(t, nil, streamRoute("/s", func(ctx context.Context, r *thing) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			yield(1, nil)
			waiting <- struct{}{}
			// It stops without a word, as a feed does.
			_ = pinned.Await(ctx, func(ctx context.Context) error { <-ctx.Done(); return nil })
		}
	}))
	resp := s.open(t, "/things/a/s")
	await(t, "the stream", waiting)
	if err := s.worker.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	body, err := io.ReadAll(resp.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(string(body), `"status":503`) {
		t.Errorf("body %q, %v; want a record of 503 and a break", body, err)
	}
}

func TestAbortEndsAStreamThatNobodyReads(t *testing.T) {
	over := make(chan struct{})
	s := serveThings(t, nil,
		streamRoute("/s", func(ctx context.Context, r *thing) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) {
				defer close(over)
				for yield(strings.Repeat("x", 1<<20), nil) {
				}
			}
		}),
		abortRoute,
	)
	s.open(t, "/things/a/s")
	if got := s.do(t, "POST", "/things/a/abort", ""); got.Status != 503 || got.Header.Get("Retry-After") != "" ||
		got.Header.Get("Pinned-Refusal") != "" || got.problem(t).Detail != "instance aborted" {
		t.Errorf("a handler that aborted its instance answered %+v", got)
	}
	await(t, "the end of the iteration", over)
}
