package runtime_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// Vault is an object with a durable value.
type Vault struct {
	pinned.Object

	gold pinned.Value[int]
	feed pinned.Feed[int]
	hits int // memory
}

// flushTime is how long a flush of the bank's store takes.
const flushTime = time.Second

// bank is a worker with vaults, whose calls are functions of the test, by a route that waits
// and one that doesn't, a stream and a socket.
type bank struct {
	t      *testing.T
	store  *wobbly
	worker *runtime.Worker
	call   func(ctx context.Context, v *Vault) error
	stream func(ctx context.Context, v *Vault) iter.Seq2[int, error]
	socket func(ctx context.Context, v *Vault, conn *pinned.Conn[int, int]) error
	raw    func(w http.ResponseWriter, r *http.Request, v *Vault) error
	reader func(ctx context.Context, v *Vault) (io.Reader, error)
}

// wobbly is a store whose batches take a while, and fail when they are told to.
type wobbly struct {
	delayed

	mu  sync.Mutex
	err error
}

func (s *wobbly) ApplyAll(ctx context.Context, batches []durability.Batch) []error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err == nil {
		return s.delayed.ApplyAll(ctx, batches)
	}
	<-time.After(s.d)
	errs := make([]error, len(batches))
	for i := range errs {
		errs[i] = err
	}
	return errs
}

func (s *wobbly) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func inBank(t *testing.T, f func(b *bank)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bank{t: t, store: &wobbly{delayed: delayed{Memory: durability.NewMemory(), d: flushTime}}}
		w, err := runtime.NewWorker(runtime.WithStore(b.store))
		if err != nil {
			t.Fatal(err)
		}
		run := func(c *runtime.Call) {
			if ctx, v, ok := runtime.Enter[Vault](c); ok {
				c.AnswerNone(b.call(ctx, v))
			}
		}
		stream := func(c *runtime.Call) {
			if ctx, v, ok := runtime.Enter[Vault](c); ok {
				runtime.Stream(c, b.stream(ctx, v))
			}
		}
		live := func(c *runtime.Call) {
			if ctx, v, conn, ok := runtime.Accept[Vault, int, int](c); ok {
				c.Hangup(b.socket(ctx, v, conn))
			}
		}
		runtime.Register(w, runtime.Class[Vault]{
			Name: "Vault", Namespace: "/vaults",
			Base: func(v *Vault) *pinned.Object { return &v.Object },
			Match: func(method, path string, _ *runtime.Args) int {
				return map[string]int{"POST/gated": 0, "POST/ungated": 1, "GET/stream": 2, "WEBSOCKET/live": 3, "PUT/gold": 4, "POST/raw": 5, "POST/reader": 6,
					"GET/ungatedstream": 7, "WEBSOCKET/ungatedlive": 8}[method+path]
			},
			Durable: func(v *Vault, bd *runtime.Binder) {
				bd.Field("gold", &v.gold)
				bd.Feed(&v.feed)
			},
			Routes: []runtime.Route[Vault]{
				{Method: "POST", Pattern: "/gated", Func: "Gated", Serve: run},
				{Method: "POST", Pattern: "/ungated", Func: "Ungated", Ungated: true, Serve: run},
				{Method: "GET", Pattern: "/stream", Func: "Stream", Serve: stream},
				{Method: "WEBSOCKET", Pattern: "/live", Func: "Live", Serve: live},
				{Method: "PUT", Pattern: "/gold", Func: "Touch", Serve: func(c *runtime.Call) {
					if _, v, ok := runtime.Enter[Vault](c); ok {
						v.hits++
						c.AnswerNone(nil)
					}
				}},
				{Method: "POST", Pattern: "/raw", Func: "Raw", Serve: func(c *runtime.Call) {
					if ctx, v, ok := runtime.Enter[Vault](c); ok {
						w, r := c.Raw(ctx)
						if err := b.raw(w, r, v); err != nil {
							b.t.Error(err)
						}
						c.RawDone()
					}
				}},
				{Method: "POST", Pattern: "/reader", Func: "Reader", Serve: func(c *runtime.Call) {
					if ctx, v, ok := runtime.Enter[Vault](c); ok {
						r, err := b.reader(ctx, v)
						runtime.Answer(c, r, err)
					}
				}},
				{Method: "GET", Pattern: "/ungatedstream", Func: "UngatedStream", Ungated: true, Serve: stream},
				{Method: "WEBSOCKET", Pattern: "/ungatedlive", Func: "UngatedLive", Ungated: true, Serve: live},
			},
		})
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.worker = w
		b.do("gated", func(context.Context, *Vault) error { return nil }) // it is resident
		f(b)
		if err := w.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// do makes a call, and tells its status and how long it took.
func (b *bank) do(route string, f func(ctx context.Context, v *Vault) error) (status int, took time.Duration) {
	b.t.Helper()
	b.call = f
	return b.request(http.MethodPost, route)
}

func (b *bank) request(method, route string) (status int, took time.Duration) {
	b.t.Helper()
	begin := time.Now()
	rec := httptest.NewRecorder()
	b.worker.ServeHTTP(rec, httptest.NewRequestWithContext(b.t.Context(), method, "/vaults/a/"+route, nil))
	return rec.Code, time.Since(begin)
}

func (b *bank) want(what string, took, want time.Duration) {
	b.t.Helper()
	if took != want {
		b.t.Errorf("%s took %v, want %v", what, took, want)
	}
}

func (b *bank) ref() runtime.Ref {
	return runtime.NewRef(runtime.InProcess(b.worker), "/vaults", "a", nil)
}

func set(_ context.Context, v *Vault) error {
	v.gold.Set(v.gold.Get() + 1)
	return nil
}

func TestAnAnswerWaitsForWhatItWrote(t *testing.T) {
	inBank(t, func(b *bank) {
		status, took := b.do("gated", set)
		b.want("a response", took, flushTime)
		if status != http.StatusNoContent {
			t.Error(status)
		}
		status, took = b.do("gated", func(ctx context.Context, v *Vault) error {
			_ = set(ctx, v)
			return errors.New("and fails")
		})
		b.want("an error", took, flushTime)
		if status != http.StatusInternalServerError {
			t.Error(status)
		}
		_, took = b.do("ungated", set)
		b.want("an ungated response", took, 0)
	})
}

func TestAnAnswerWaitsForWhatItReadAndForNothingElse(t *testing.T) {
	inBank(t, func(b *bank) {
		_, took := b.do("ungated", set)
		b.want("an ungated write", took, 0)
		_, took = b.request(http.MethodPut, "gold")
		b.want("what read and wrote nothing, beside a flush", took, 0)
		_, took = b.do("gated", func(_ context.Context, v *Vault) error {
			if v.gold.Get() != 1 {
				t.Error("not what was written")
			}
			return nil
		})
		b.want("what read the write of another turn", took, flushTime)
		_, took = b.do("gated", func(_ context.Context, v *Vault) error {
			v.gold.Get()
			return nil
		})
		b.want("what read something durable", took, 0)
	})
}

func TestAwaitBeginsOnceItsTurnIsDurable(t *testing.T) {
	inBank(t, func(b *bank) {
		for name, f := range map[string]func(ctx context.Context, f func(context.Context) error) error{
			"await":    pinned.Await,
			"parallel": func(ctx context.Context, f func(context.Context) error) error { return pinned.Parallel(ctx, f) },
		} {
			b.do("ungated", func(context.Context, *Vault) error { return nil })
			_, took := b.do("gated", func(ctx context.Context, v *Vault) error {
				begin := time.Now()
				_ = set(ctx, v)
				return f(ctx, func(context.Context) error {
					b.want("the beginning of "+name, time.Since(begin), flushTime)
					return nil
				})
			})
			b.want("the call with "+name, took, flushTime)
		}
		_, took := b.do("gated", func(ctx context.Context, _ *Vault) error {
			return pinned.Await(ctx, func(context.Context) error { return nil })
		})
		b.want("an await that wrote nothing", took, 0)
	})
}

func TestBackgroundWorkCarriesTheGateOfItsOrigin(t *testing.T) {
	inBank(t, func(b *bank) {
		begun := make(chan time.Duration, 1)
		b.do("ungated", func(ctx context.Context, v *Vault) error {
			begin := time.Now()
			_ = set(ctx, v)
			v.Go(ctx, func(ctx context.Context) {
				_ = pinned.Await(ctx, func(context.Context) error {
					begun <- time.Since(begin)
					return nil
				})
			})
			return nil
		})
		b.want("the effect of background work", <-begun, flushTime)
	})
}

func TestACallToAnotherInstanceWaits(t *testing.T) {
	inBank(t, func(b *bank) {
		var at time.Duration
		_, _ = b.do("gated", func(ctx context.Context, v *Vault) error {
			begin := time.Now()
			_ = set(ctx, v)
			err := runtime.DoNone(ctx, runtime.NewRef(runtime.From(v, "x"), "/vaults", "b", nil).Call("PUT", "/gold"))
			at = time.Since(begin)
			return err
		})
		b.want("a call to another instance", at, flushTime)
	})
}

func TestElementsAndFramesWait(t *testing.T) {
	inBank(t, func(b *bank) {
		b.stream = func(_ context.Context, v *Vault) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				_ = yield(0, nil)
				v.gold.Set(v.gold.Get() + 1)
				_ = yield(1, nil)
			}
		}
		begin := time.Now()
		for n, err := range runtime.Elements[int](b.t.Context(), b.ref().Call("GET", "/stream")) {
			if err != nil {
				t.Fatal(err)
			}
			b.want("element "+string(rune('0'+n)), time.Since(begin), time.Duration(n)*flushTime)
		}

		b.socket = func(ctx context.Context, v *Vault, conn *pinned.Conn[int, int]) error {
			if err := conn.Send(ctx, 0); err != nil {
				return err
			}
			v.gold.Set(v.gold.Get() + 1)
			return conn.Send(ctx, 1)
		}
		conn, err := runtime.DialSocket[int, int](b.t.Context(), b.ref().Call("WEBSOCKET", "/live"))
		if err != nil {
			t.Fatal(err)
		}
		begin = time.Now()
		for n := range 2 {
			if got, err := conn.Receive(b.t.Context()); got != n || err != nil {
				t.Fatal(got, err)
			}
			b.want("frame "+string(rune('0'+n)), time.Since(begin), time.Duration(n)*flushTime)
		}
		_ = conn.Close(1000, "")
	})
}

func TestWhatAFeedCarriesWaits(t *testing.T) {
	inBank(t, func(b *bank) {
		b.stream = func(ctx context.Context, v *Vault) iter.Seq2[int, error] { return v.feed.Subscribe(ctx) }
		ctx, cancel := context.WithCancel(b.t.Context())
		defer cancel()
		heard := make(chan time.Time, 1)
		go func() {
			for range runtime.Elements[int](ctx, b.ref().Call("GET", "/stream")) {
				heard <- time.Now()
				return
			}
		}()
		synctest.Wait()
		begin := time.Now()
		b.do("ungated", func(ctx context.Context, v *Vault) error {
			_ = set(ctx, v)
			v.feed.Publish(1)
			return nil
		})
		b.want("an element of a feed", (<-heard).Sub(begin), flushTime)
	})
}

func TestAFailedFlushIsNeverAnsweredAsSuccess(t *testing.T) {
	for name, failure := range map[string]error{
		"refused": &durability.RejectedError{Op: "put", Reason: "x"},
		"unknown": &durability.UnknownError{Op: "apply", Err: errors.New("x")},
		"fenced":  &durability.FenceLost{},
	} {
		t.Run(name, func(t *testing.T) {
			inBank(t, func(b *bank) {
				b.store.fail(failure)
				if status, _ := b.do("gated", set); status != http.StatusServiceUnavailable {
					t.Errorf("status %d", status)
				}
				b.store.fail(nil)
				status, _ := b.do("gated", func(_ context.Context, v *Vault) error {
					if v.gold.Get() != 0 {
						t.Error("the next activation doesn't begin with what the store holds")
					}
					return nil
				})
				if status != http.StatusNoContent {
					t.Errorf("status %d", status)
				}
			})
		})
	}
}

func TestAPanicTakesItsSegmentWithIt(t *testing.T) {
	inBank(t, func(b *bank) {
		b.do("gated", func(ctx context.Context, v *Vault) error {
			_ = set(ctx, v)
			_ = pinned.Sleep(ctx, 2*flushTime) // the first segment ends
			_ = set(ctx, v)
			panic("broken")
		})
		b.do("gated", func(_ context.Context, v *Vault) error {
			if v.gold.Get() != 1 {
				t.Errorf("%d is stored, want the segment before the panic's", v.gold.Get())
			}
			return nil
		})
	})
}
