package runtime_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

func TestARequestIsDeliveredAtMostOnce(t *testing.T) {
	for name, call := range map[string]func(context.Context, runtime.Ref) error{
		"GET": func(ctx context.Context, ref runtime.Ref) error {
			return runtime.DoNone(ctx, ref.Call("GET", "/"))
		},
		"HEAD": func(ctx context.Context, ref runtime.Ref) error {
			return runtime.DoNone(ctx, ref.Call("HEAD", "/"))
		},
		"POST with a key": func(ctx context.Context, ref runtime.Ref) error {
			q := ref.Call("POST", "/")
			q.Header("Idempotency-Key", "k")
			return runtime.DoNone(ctx, q)
		},
		"PUT of JSON with a key": func(ctx context.Context, ref runtime.Ref) error {
			q := ref.Call("PUT", "/")
			q.Header("X-Idempotency-Key", "k")
			q.JSON(1)
			return runtime.DoNone(ctx, q)
		},
		"DELETE": func(ctx context.Context, ref runtime.Ref) error {
			return runtime.DoNone(ctx, ref.Call("DELETE", "/"))
		},
		"a stream": func(ctx context.Context, ref runtime.Ref) error {
			return lastError(runtime.Elements[int](ctx, ref.Call("GET", "/")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var delivered atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
				_, _ = io.Copy(io.Discard, req.Body)
				if req.Header.Get("X-Warm") != "" {
					rw.WriteHeader(http.StatusNoContent)
					return
				}
				delivered.Add(1)
				panic(http.ErrAbortHandler) // the connection closes without an answer
			}))
			defer server.Close()
			ref := runtime.NewRef(runtime.Dial(server.URL), "/x", "a", nil)
			// net/http replays on a connection that was used before.
			warm := ref.Call("GET", "/")
			warm.Header("X-Warm", "yes")
			if err := runtime.DoNone(t.Context(), warm); err != nil {
				t.Fatal(err)
			}
			wantError(t, call(t.Context(), ref), 0, pinned.Unknown)
			if n := delivered.Load(); n != 1 {
				t.Errorf("delivered %d times", n)
			}
		})
	}
}

// memoryNetwork is a net.Listener whose connections are made in memory.
type memoryNetwork struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (n *memoryNetwork) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *memoryNetwork) Close() error {
	close(n.closed)
	return nil
}

func (n *memoryNetwork) Addr() net.Addr { return &net.TCPAddr{} }

func (n *memoryNetwork) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inVirtualTime serves h in a bubble, where the time is virtual.
func inVirtualTime(t *testing.T, h http.HandlerFunc, f func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &memoryNetwork{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour}
		served := make(chan error, 1)
		go func() { served <- server.Serve(n) }()
		f(t, n.dial)
		_ = server.Close()
		<-served
		synctest.Wait()
	})
}

func refuseWith(rw http.ResponseWriter, reason, after string) {
	rw.Header().Set("Content-Type", problemType)
	rw.Header().Set("Retry-After", after)
	if reason != "" {
		rw.Header().Set("pinned-refusal", reason)
	}
	rw.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(rw, `{"title":"Service Unavailable","status":503,"detail":"later"}`)
}

func TestRefusalsAreWaitedFor(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		t.Run(method, func(t *testing.T) {
			var requests int
			inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
				if requests++; requests <= 3 {
					refuseWith(rw, "draining", "2")
					return
				}
				rw.WriteHeader(http.StatusNoContent)
			}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
				began := time.Now()
				q := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil).Call(method, "/")
				q.JSON(1)
				if err := runtime.DoNone(t.Context(), q); err != nil {
					t.Error(err)
				}
				if d := time.Since(began); d < 6*time.Second || d > 8*time.Second || requests != 4 {
					t.Errorf("%d requests in %v", requests, d)
				}
			})
		})
	}
}

func TestRefusalsAreWaitedForNoLongerThan30Seconds(t *testing.T) {
	var requests int
	inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
		requests++
		refuseWith(rw, "capacity", "1")
	}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
		ref := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil)
		began := time.Now()
		e := wantError(t, runtime.DoNone(t.Context(), ref.Call("POST", "/")), 503, pinned.NotRun)
		if d := time.Since(began); d < 25*time.Second || d > 30*time.Second || requests < 20 || requests > 31 {
			t.Errorf("%d requests in %v", requests, d)
		}
		if !e.Retryable() || !e.Overloaded() || e.RetryAfter != time.Second || e.Detail != "later" {
			t.Errorf("%+v", e)
		}

		// The end of the context ends the wait, and is visible beside the refusal.
		requests = 0
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		began = time.Now()
		err := runtime.DoNone(ctx, ref.Call("POST", "/"))
		if e := wantError(t, err, 503, pinned.NotRun); !errors.Is(err, context.DeadlineExceeded) || !e.Retryable() {
			t.Errorf("%+v", e)
		}
		if d := time.Since(began); d != 2500*time.Millisecond || requests < 2 || requests > 3 {
			t.Errorf("%d requests in %v", requests, d)
		}
	})
}

func TestWhatMayHaveRunIsNotMadeAgain(t *testing.T) {
	var requests int
	inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
		requests++
		refuseWith(rw, "", "1")
	}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
		ref := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil)
		e := wantError(t, runtime.DoNone(t.Context(), ref.Call("GET", "/")), 503, pinned.Unknown)
		if e.Retryable() || e.RetryAfter != time.Second || requests != 1 {
			t.Errorf("%d requests: %+v", requests, e)
		}
	})
}

func TestARefusedConnectionIsTriedAgain(t *testing.T) {
	for name, call := range map[string]func(context.Context, runtime.Ref) error{
		"a call": func(ctx context.Context, ref runtime.Ref) error {
			q := ref.Call("POST", "/")
			q.Body(io.MultiReader(strings.NewReader("once")))
			return runtime.DoNone(ctx, q)
		},
		"a socket": func(ctx context.Context, ref runtime.Ref) error {
			_, err := runtime.DialSocket[int, int](ctx, ref.Call("WEBSOCKET", "/"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var requests, dials int
			inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
				requests++
				if body, _ := io.ReadAll(req.Body); req.Method == "POST" && string(body) != "once" {
					t.Errorf("the body is %q", body)
				}
				rw.WriteHeader(http.StatusTeapot)
			}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
				ref := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
					if dials++; dials <= 5 {
						return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
					}
					return dial(ctx, network, addr)
				})), "/x", "a", nil)
				err := call(t.Context(), ref)
				wantError(t, err, http.StatusTeapot, pinned.Unknown)
				if requests != 1 || dials != 6 {
					t.Errorf("%d requests, %d dials", requests, dials)
				}

				dials = -1 << 30 // nobody ever comes
				began := time.Now()
				err = call(t.Context(), runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(func(context.Context, string, string) (net.Conn, error) {
					return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
				})), "/x", "a", nil))
				if e := wantError(t, err, 0, pinned.NotRun); !e.Retryable() || !errors.Is(err, syscall.ECONNREFUSED) {
					t.Error(err)
				}
				if d := time.Since(began); d < 25*time.Second || d > 30*time.Second {
					t.Errorf("it took %v", d)
				}
			})
		})
	}
}

func TestOtherDialErrorsAreNotTriedAgain(t *testing.T) {
	failed, dials := errors.New("no such host"), 0
	client := sample.NewClient("http://w", pinned.WithDial(func(context.Context, string, string) (net.Conn, error) {
		dials++
		return nil, failed
	}))
	_, err := client.Room("lobby").Topic(t.Context())
	if wantError(t, err, 0, pinned.NotRun); !errors.Is(err, failed) || dials != 1 {
		t.Errorf("%d dials, %v", dials, err)
	}
	_, err = client.Room("lobby").Live(t.Context())
	if wantError(t, err, 0, pinned.NotRun); !errors.Is(err, failed) || dials != 2 {
		t.Errorf("%d dials, %v", dials, err)
	}
}

func TestABodyIsSentAgainOnlyWhole(t *testing.T) {
	for name, tc := range map[string]struct {
		body     io.Reader
		read     bool // the server reads it before it refuses
		requests int
	}{
		"a stream that was read":           {io.MultiReader(strings.NewReader(strings.Repeat("x", 100))), true, 1},
		"a stream that was not":            {io.MultiReader(strings.NewReader(strings.Repeat("x", 100))), false, 2},
		"what goes back, read":             {strings.NewReader(strings.Repeat("x", 100)), true, 2},
		"what goes back to where it began": {halfRead(strings.Repeat("y", 50) + strings.Repeat("x", 100)), true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
				requests++
				if requests == 1 && !tc.read {
					refuseWith(rw, "draining", "1")
					return
				}
				if body, err := io.ReadAll(req.Body); err != nil || string(body) != strings.Repeat("x", 100) {
					t.Errorf("request %d has the body %q, %v", requests, body, err)
				}
				if requests == 1 {
					refuseWith(rw, "draining", "1")
					return
				}
				rw.WriteHeader(http.StatusNoContent)
			}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
				q := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil).Call("PUT", "/")
				q.Body(tc.body)
				err := runtime.DoNone(t.Context(), q)
				if requests != tc.requests || (err == nil) != (tc.requests == 2) {
					t.Errorf("%d requests, %v", requests, err)
				}
				if err != nil {
					wantError(t, err, 503, pinned.NotRun)
				}
			})
		})
	}
}

func halfRead(s string) io.Reader {
	r := strings.NewReader(s)
	_, _ = io.CopyN(io.Discard, r, 50)
	return r
}

func TestABodyThatFailsIsTheCallsError(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		broken := errors.New("the disk is gone")
		_, err := r.rooms.Room("lobby").Import(t.Context(), "x", io.MultiReader(strings.NewReader("some"), failingReader{broken}))
		if e, ok := errors.AsType[*pinned.Error](err); !ok || !errors.Is(err, broken) {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
