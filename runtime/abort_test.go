package runtime

import (
	"context"
	"errors"
	"net/http"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
)

var errBroken = errors.New("broken")

// wantAborted checks that err is that of a handler whose instance was aborted.
func wantAborted(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*abortedError](err); !ok {
		t.Errorf("%v is not that the instance was aborted", err)
	}
}

func TestAbortEndsWhatIsInFlightAndTheNextRequestStartsAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closing atomic.Bool
		h := newHost(t, &hooks{close: func(ctx context.Context, b *box) error {
			closing.Store(true)
			if err := ctx.Err(); err != nil {
				t.Errorf("the context of Close has ended: %v", err)
			}
			pass(time.Second)
			closing.Store(false)
			return nil
		}})
		var first *box
		waits := func(ctx context.Context, b *box) {
			first = b
			err := pinned.Await(ctx, func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
			if !errors.Is(err, errBroken) {
				t.Errorf("the wait ended with %v", err)
			}
		}
		one, two := h.background(t.Context(), "one", waits), h.background(t.Context(), "one", waits)
		work := make(chan error, 1)
		_ = h.do(t.Context(), "one", func(ctx context.Context, b *box) {
			b.Go(ctx, func(ctx context.Context) { work <- pinned.Sleep(ctx, time.Hour) })
		})
		synctest.Wait()

		first.Abort(errBroken)
		first.Abort(errors.New("the second doesn't count"))
		wantAborted(t, <-one)
		wantAborted(t, <-two)
		if err := <-work; !errors.Is(err, context.Canceled) {
			t.Errorf("the background work ended with %v", err)
		}
		if err := h.do(t.Context(), "one", func(_ context.Context, b *box) {
			if b == first || closing.Load() {
				t.Errorf("the old instance serves, or still closes: %v", closing.Load())
			}
		}); err != nil {
			t.Errorf("the next request: %v", err)
		}
		if n := h.hooks.opened.Load(); n != 2 {
			t.Errorf("opened %d times", n)
		}
	})
}

func TestARequestInTheLineOutlivesAnAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		release := make(chan struct{})
		holder := h.background(t.Context(), "one", func(_ context.Context, b *box) {
			<-release
			b.Abort(errBroken)
		})
		synctest.Wait()
		var served atomic.Int32
		waiting := h.background(t.Context(), "one", func(context.Context, *box) { served.Add(1) })
		synctest.Wait()
		close(release)
		wantAborted(t, <-holder)
		if err := <-waiting; err != nil || served.Load() != 1 {
			t.Errorf("it was answered with %v, and its handler ran %d times", err, served.Load())
		}
	})
}

// TestPanicsAbortTheInstance has every place where an author's code may panic,
// and every way to.
func TestPanicsAbortTheInstance(t *testing.T) {
	ways := map[string]func(){
		"panic":           func() { panic("oh no") },
		"nil dereference": func() { var p *box; p.turns++ },
		"ErrAbortHandler": func() { panic(http.ErrAbortHandler) },
		"Goexit":          goruntime.Goexit,
		"incomparable":    func() { panic([]int{1}) },
	}
	places := map[string]func(ctx context.Context, b *box, fall func()){
		"handler": func(_ context.Context, _ *box, fall func()) { fall() },
		"Await": func(ctx context.Context, _ *box, fall func()) {
			_ = pinned.Await(ctx, func(context.Context) error { fall(); return nil })
		},
		"Parallel": func(ctx context.Context, _ *box, fall func()) {
			nothing := func(context.Context) error { return nil }
			_ = pinned.Parallel(ctx, nothing, func(context.Context) error { fall(); return nil }, nothing)
		},
		"Go": func(ctx context.Context, b *box, fall func()) {
			b.Go(ctx, func(context.Context) { fall() })
			_ = pinned.Sleep(ctx, longest)
		},
		"Turn": func(ctx context.Context, b *box, fall func()) {
			_ = pinned.Await(ctx, func(ctx context.Context) error {
				return b.Turn(ctx, func(context.Context) error { fall(); return nil })
			})
		},
		"Await in Go": func(ctx context.Context, b *box, fall func()) {
			b.Go(ctx, func(ctx context.Context) {
				_ = pinned.Await(ctx, func(context.Context) error { fall(); return nil })
			})
			_ = pinned.Sleep(ctx, longest)
		},
	}
	for where, place := range places {
		for how, fall := range ways {
			if where == "handler" && how == "Goexit" {
				continue // the serving code's
			}
			t.Run(where+", "+how, func(t *testing.T) {
				h := newHost(t, &hooks{})
				result := make(chan error, 1)
				go func() {
					var in *instance
					defer func() { result <- in.abortCause() }() // after Goexit too
					_ = h.do(t.Context(), "one", func(ctx context.Context, b *box) {
						in = ctx.(*turn).in
						place(ctx, b, fall)
					})
				}()
				wantAborted(t, receive(t, "the end of the handler", result))
				h.touch("one")
				if n := strings.Count(h.log.String(), "panic in an object's code"); n != 1 {
					t.Errorf("logged %d times:\n%s", n, h.log)
				}
				if !strings.Contains(h.log.String(), "abort_test.go") {
					t.Errorf("the log has no stack of the author's:\n%s", h.log)
				}
				if n := h.hooks.opened.Load(); n != 2 {
					t.Errorf("opened %d times", n)
				}
			})
		}
	}
}

func TestAHandlerThatRecoversAPanicOfAwaitHasTheTurn(t *testing.T) {
	h := newHost(t, &hooks{})
	err := h.do(t.Context(), "one", func(ctx context.Context, b *box) {
		defer func() {
			if recover() == nil {
				t.Error("the panic didn't come through")
			}
			b.turns++ // with the turn
			if !ctx.(*turn).held() {
				t.Error("the turn isn't held")
			}
		}()
		_ = pinned.Await(ctx, func(context.Context) error { panic("oh no") })
	})
	wantAborted(t, err)
}

func TestGoEndsWithTheInstanceAndNotWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		h := newHost(t, &hooks{}, WithIdleTimeout(time.Minute))
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "kept"))
		var pieces atomic.Int32
		done := make(chan struct{})
		_ = h.do(ctx, "one", func(ctx context.Context, b *box) {
			b.Go(ctx, func(ctx context.Context) {
				defer close(done)
				if ctx.Value(key{}) != "kept" {
					t.Error("the values are lost")
				}
				for range 10 {
					b.turns++
					pieces.Add(1)
					if err := pinned.Sleep(ctx, time.Minute); err != nil {
						t.Errorf("the work ended early: %v", err)
					}
				}
			})
			if pieces.Load() != 0 {
				t.Error("the work ran while the handler held the turn")
			}
		})
		cancel()
		<-done
		synctest.Wait()
		if h.hooks.closed.Load() != 0 {
			t.Error("the instance was evicted while it had work")
		}
		pass(2 * time.Minute)
		synctest.Wait()
		if h.hooks.closed.Load() != 1 {
			t.Error("the instance wasn't evicted after its work")
		}
	})
}

func TestGoAfterTheEndDoesNotRun(t *testing.T) {
	h := newHost(t, &hooks{})
	var b *box
	_ = h.do(t.Context(), "one", func(_ context.Context, it *box) { b = it; it.Abort(errBroken) })
	h.touch("one")
	b.Go(t.Context(), func(context.Context) { t.Error("it ran") })
	if err := b.Turn(t.Context(), func(context.Context) error { t.Error("it ran"); return nil }); err == nil {
		t.Error("Turn said nothing")
	}
}

func TestAPanicInAHookDoesNotEndTheProcess(t *testing.T) {
	for name, fall := range map[string]func(){"panic": func() { panic("oh no") }, "Goexit": goruntime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var armed atomic.Value // the hook that falls next
				armed.Store("")
				at := func(hook string) {
					if armed.CompareAndSwap(hook, "") {
						fall()
					}
				}
				hs := &hooks{
					close: func(context.Context, *box) error { at("Close"); return nil },
					idle:  func(context.Context, *box) bool { at("Idle"); return true },
					stats: func(*box) map[string]any { at("Stats"); return nil },
				}
				hs.open = func(_ context.Context, b *box) error {
					if armed.Load() == "Open" {
						hs.live.Delete(b.ID()) // no Close follows
					}
					at("Open")
					return nil
				}
				h := newHost(t, hs, WithIdleTimeout(time.Minute))

				armed.Store("Open")
				var failed *activationError
				if err := h.do(t.Context(), "one", func(context.Context, *box) {}); !errors.As(err, &failed) {
					t.Errorf("Open: %v", err)
				}
				h.touch("one")

				armed.Store("Close")
				_ = h.do(t.Context(), "one", func(_ context.Context, b *box) { b.Abort(errBroken) })
				h.touch("one")

				armed.Store("Idle")
				pass(2 * time.Minute)
				h.touch("one")

				armed.Store("Stats")
				done := make(chan struct{})
				go func() { defer close(done); h.w.Stats() }()
				<-done
				h.touch("one")
				if opened := hs.opened.Load(); opened != 5 || armed.Load() != "" {
					t.Errorf("opened %d times, and %q is still to fall", opened, armed.Load())
				}
			})
		})
	}
}

func TestAPanicInAnAwaitOfOpenIsLoggedOnce(t *testing.T) {
	h := newHost(t, &hooks{})
	h.hooks.open = func(ctx context.Context, b *box) error {
		defer h.hooks.live.Delete(b.ID())
		return pinned.Await(ctx, func(context.Context) error { panic("oh no") })
	}
	wantActivationError(t, h.do(t.Context(), "one", nothing))
	if n := strings.Count(h.log.String(), "panic in an object's code"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, h.log)
	}
}
