package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// probe is an object whose routes do what no good author's would.
type probe struct {
	pinned.Object

	spy  *spy
	busy int // handlers that are in the middle of something
}

// spy tells a test what happens in the probes.
type spy struct {
	made atomic.Int64 // elements of /count

	mu            sync.Mutex
	entered, left chan struct{}
}

// watch returns what the next handler that blocks closes when it is there and
// when it has left.
func (s *spy) watch() (entered, left chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entered, s.left = make(chan struct{}), make(chan struct{})
	s.made.Store(0)
	return s.entered, s.left
}

func (s *spy) enter() (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entered, left := s.entered, s.left
	s.entered, s.left = nil, nil
	if entered == nil {
		return func() {}
	}
	close(entered)
	return func() { close(left) }
}

// settle waits until a producer has stopped.
func (s *spy) settle(t *testing.T) {
	for last := int64(-1); ; {
		now := s.made.Load()
		if now == last {
			return
		}
		last = now
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
}

func (r *rig) probe(id string) runtime.Ref {
	return runtime.NewRef(r.probes, "/probes", id, sample.PinnedErrors)
}

// probeEcho is what a request looked like.
type probeEcho struct {
	Path, Query, Caller string
	Tokens              []string
}

type padded struct {
	N   int
	Pad string
}

var probeRoutes = []runtime.Route[probe]{
	{Method: "GET", Pattern: "/echo/{x}", Func: "Echo", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (probeEcho, error) {
		req := c.Request(ctx)
		return probeEcho{
			Path:   req.URL.EscapedPath(),
			Query:  req.URL.RawQuery,
			Caller: c.Caller().Namespace + "/" + c.Caller().ID,
			Tokens: req.Header.Values("X-Token"),
		}, nil
	})},
	{Method: "GET", Pattern: "/secret", Func: "Secret", Concurrent: true, Serve: probeRoute(func(ctx context.Context, _ *runtime.Call, _ *probe) (string, error) {
		return fmt.Sprint(ctx.Value(secretKey{})), nil
	})},
	{Method: "GET", Pattern: "/quota", Func: "Quota", Serve: probeRoute(func(context.Context, *runtime.Call, *probe) (string, error) {
		return "", fmt.Errorf("wrapped: %w", &sample.QuotaError{Left: 7})
	})},
	{Method: "GET", Pattern: "/relayed-error", Func: "RelayedError", Serve: probeRoute(func(ctx context.Context, _ *runtime.Call, p *probe) (string, error) {
		_, err := sample.From(p).Room("lobby").Message(ctx, 99)
		return "", err
	})},
	{Method: "POST", Pattern: "/abort", Func: "Abort", Serve: probeRoute(func(_ context.Context, _ *runtime.Call, p *probe) (string, error) {
		p.Abort(errors.New("by itself"))
		return "", nil
	})},
	{Method: "POST", Pattern: "/goexit", Func: "Goexit", Serve: probeRoute(func(context.Context, *runtime.Call, *probe) (io.Reader, error) {
		goruntime.Goexit()
		return nil, nil
	})},
	{Method: "POST", Pattern: "/block", Func: "Block", Serve: probeRoute(func(ctx context.Context, _ *runtime.Call, p *probe) (string, error) {
		defer p.spy.enter()()
		<-ctx.Done()
		return "", ctx.Err()
	})},
	{Method: "GET", Pattern: "/long", Func: "Long", Serve: probeStream(func(_ context.Context, c *runtime.Call, _ *probe) iter.Seq2[string, error] {
		sizes := runtime.QueryAll(c, "n", runtime.Int[int])
		return func(yield func(string, error) bool) {
			for _, n := range sizes {
				if !yield(strings.Repeat("x", n), nil) {
					return
				}
			}
		}
	})},
	{Method: "GET", Pattern: "/count", Func: "Count", Serve: probeStream(func(_ context.Context, c *runtime.Call, p *probe) iter.Seq2[any, error] {
		pad := runtime.Query(c, "pad", runtime.Int[int])
		return func(yield func(any, error) bool) {
			defer p.spy.enter()()
			for n := 0; ; n++ {
				p.spy.made.Add(1)
				var e any = n
				if pad > 0 {
					e = padded{n, strings.Repeat("x", pad)}
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	})},
	{Method: "GET", Pattern: "/endless", Func: "Endless", Serve: probeRoute(func(_ context.Context, _ *runtime.Call, p *probe) (io.Reader, error) {
		return &endless{leave: p.spy.enter()}, nil
	})},
	{Method: "GET", Pattern: "/breaks", Func: "Breaks", Serve: probeRoute(func(context.Context, *runtime.Call, *probe) (io.Reader, error) {
		return io.MultiReader(strings.NewReader("begin"), errReader{}), nil
	})},
	{Method: "GET", Pattern: "/deep", Func: "Deep", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (int, error) {
		other := map[string]string{"a": "b", "b": "a"}[p.ID()]
		deepest, err := runtime.Do[int](ctx, p.from(other).Call("GET", "/deep"))
		if e, ok := errors.AsType[*pinned.Error](err); ok && e.Status == http.StatusLoopDetected {
			if e.Outcome() != pinned.NotRun {
				return 0, err
			}
			return c.Caller().Depth, nil
		}
		return deepest, err
	})},
	{Method: "GET", Pattern: "/ask/{id}", Func: "Ask", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (probeEcho, error) {
		id := runtime.Path(c, 0, "id", runtime.String[string])
		return runtime.Do[probeEcho](ctx, p.from(id).Call("GET", "/echo/x"))
	})},
	{Method: "GET", Pattern: "/ask-slowly/{id}", Func: "AskSlowly", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (int, error) {
		id := runtime.Path(c, 0, "id", runtime.String[string])
		n := 0
		for _, err := range runtime.Elements[int](ctx, p.from(id).Call("GET", "/three")) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	})},
	{Method: "GET", Pattern: "/three", Func: "Three", Serve: probeStream(func(context.Context, *runtime.Call, *probe) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for n := range 3 {
				if !yield(n, nil) {
					return
				}
			}
		}
	})},
	{Method: "GET", Pattern: "/busy", Func: "Busy", Serve: probeRoute(func(_ context.Context, _ *runtime.Call, p *probe) (int, error) {
		return p.busy, nil
	})},
	{Method: "POST", Pattern: "/ask-wait/{id}", Func: "AskWait", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (string, error) {
		p.busy++
		defer func() { p.busy-- }()
		return "", sample.From(p).Room(runtime.Path(c, 0, "id", runtime.String[string])).Wait(ctx)
	})},
	{Method: "POST", Pattern: "/loop/{id}", Func: "Loop", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (string, error) {
		for _, err := range runtime.Elements[int](ctx, p.from(runtime.Path(c, 0, "id", runtime.String[string])).Call("GET", "/three")) {
			if err != nil {
				return "", err
			}
			if p.busy++; p.busy != 1 {
				return "", errors.New("two loops run at once")
			}
			goruntime.Gosched()
			p.busy--
		}
		return "", nil
	})},
	{Method: "PUT", Pattern: "/relay/{id}", Func: "Relay", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (int, error) {
		q := runtime.NewRef(runtime.From(p, "sample"), "/chats", runtime.Path(c, 0, "id", runtime.String[string]), nil).Call("PUT", "/files/x")
		q.Body(c.Reader())
		return runtime.Do[int](ctx, q)
	})},
	{Method: "PUT", Pattern: "/wrapped/{id}", Func: "Wrapped", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (int, error) {
		return sample.From(p).Room(runtime.Path(c, 0, "id", runtime.String[string])).Import(ctx, "x", io.LimitReader(c.Reader(), 5))
	})},
	{Method: "GET", Pattern: "/pass/{id}", Func: "Pass", Serve: probeRoute(func(ctx context.Context, c *runtime.Call, p *probe) (io.Reader, error) {
		return sample.From(p).Room(runtime.Path(c, 0, "id", runtime.String[string])).Export(ctx)
	})},
	{Method: "GET", Pattern: "/teapot", Func: "Teapot", Serve: func(c *runtime.Call) {
		if ctx, _, ok := runtime.Enter[probe](c); ok {
			rw, req := c.Raw(ctx)
			rw.Header().Set("X-Got", req.Header.Get("X-Sent"))
			rw.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(rw, "<p>"+req.URL.RawQuery)
			c.RawDone()
		}
	}},
	{Method: "PUT", Pattern: "/mirror", Func: "Mirror", Serve: func(c *runtime.Call) {
		if ctx, _, ok := runtime.Enter[probe](c); ok {
			rw, req := c.Raw(ctx)
			body, _ := io.ReadAll(req.Body)
			_, _ = fmt.Fprintf(rw, "%d %q %q %q %q", req.ContentLength, body,
				req.Header.Get("Content-Type"), req.Header.Get("Upgrade"), req.Header.Get("Expect"))
			c.RawDone()
		}
	}},
	{Method: "GET", Pattern: "/moved", Func: "Moved", Serve: func(c *runtime.Call) {
		if _, _, ok := runtime.Enter[probe](c); ok {
			runtime.AnswerResponse(c, &pinned.Response[string]{Status: 303, Header: http.Header{"Location": {"/elsewhere"}}, Body: "go"}, nil)
		}
	}},
}

// secretKey is of a caller's context.
type secretKey struct{}

// probeRoute serves a handler that may read its arguments in the turn.
func probeRoute[T any](f func(context.Context, *runtime.Call, *probe) (T, error)) func(*runtime.Call) {
	return func(c *runtime.Call) {
		if ctx, p, ok := runtime.Enter[probe](c); ok {
			v, err := f(ctx, c, p)
			runtime.Answer(c, v, err)
		}
	}
}

func probeStream[T any](f func(context.Context, *runtime.Call, *probe) iter.Seq2[T, error]) func(*runtime.Call) {
	return func(c *runtime.Call) {
		if ctx, p, ok := runtime.Enter[probe](c); ok {
			runtime.Stream(c, f(ctx, c, p))
		}
	}
}

// from is a reference to another probe, as this one calls it.
func (p *probe) from(id string) runtime.Ref {
	return runtime.NewRef(runtime.From(p, "probe"), "/probes", id, sample.PinnedErrors)
}

func registerProbe(w *runtime.Worker, s *spy) {
	runtime.Register(w, runtime.Class[probe]{
		Name:      "probe",
		Namespace: "/probes",
		Base:      func(p *probe) *pinned.Object { return &p.Object },
		Match:     matchProbe,
		Routes:    probeRoutes,
		Errors:    sample.PinnedErrors,
	}, runtime.Setup(func(p *probe) { p.spy = s }))
}

func matchProbe(method, path string, args *runtime.Args) int {
	first, rest := runtime.Segment(path)
	for i, r := range probeRoutes {
		name, _ := runtime.Segment(r.Pattern)
		if name != first || method != r.Method {
			continue
		}
		if rest != "" {
			args[0], _ = runtime.Segment(rest)
		}
		return i
	}
	return -1
}

// endless is a result without end.
type endless struct{ leave func() }

func (e *endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat("x", len(p))), nil }

func (e *endless) Close() error {
	e.leave()
	return nil
}

// errReader breaks off.
type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("broken") }
