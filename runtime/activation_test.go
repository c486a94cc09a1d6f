package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/wire"
)

// wantRefusal checks that err is the refusal of a reason.
func wantRefusal(t *testing.T, err error, reason string) {
	t.Helper()
	var r *refusal
	if !errors.As(err, &r) || r.reason != reason || r.retryAfter != time.Second {
		t.Errorf("%#v is not the refusal %q after 1 s", err, reason)
	}
}

func wantActivationError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*activationError](err); !ok {
		t.Errorf("%#v is not a failed activation", err)
	}
}

func nothing(context.Context, *box) {}

func TestOneActivationServesAllWhoWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{open: func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, time.Second) }})
		var served atomic.Int32
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if err := h.do(t.Context(), "one", func(context.Context, *box) { served.Add(1) }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if opened := h.hooks.opened.Load(); opened != 1 || served.Load() != 100 {
			t.Errorf("opened %d times for %d handlers", opened, served.Load())
		}
	})
}

func TestAnActivationGoesOnWithoutWhoBeganIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{open: func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, 10*time.Second) }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.do(ctx, "one", nothing); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first left with %v", err)
		}
		began := time.Now()
		h.touch("one")
		if d := time.Since(began); d != 9*time.Second || h.hooks.opened.Load() != 1 {
			t.Errorf("the second waited %v for %d activations", d, h.hooks.opened.Load())
		}
	})
}

func TestAFailedOpenIsTriedAgainAndNotClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := true
		h := newHost(t, &hooks{})
		h.hooks.open = func(context.Context, *box) error {
			if fail {
				return errBroken
			}
			return nil
		}
		err := h.do(t.Context(), "one", nothing)
		wantActivationError(t, err)
		if !errors.Is(err, errBroken) {
			t.Errorf("the cause is %v", err)
		}
		synctest.Wait()
		if n := h.hooks.closed.Load(); n != 0 {
			t.Errorf("closed %d times", n)
		}
		if !strings.Contains(h.log.String(), `"msg":"activation failed","namespace":"/boxes","id":"one"`) {
			t.Errorf("logged:\n%s", h.log)
		}
		fail = false
		h.touch("one")
	})
}

func TestASetupThatPanicsFailsTheActivation(t *testing.T) {
	w := newTestWorker(t)
	fall := true
	Register(w, Class[plain]{
		Name: "Plain", Namespace: "/plains",
		Base:  func(p *plain) *pinned.Object { return &p.Object },
		Match: func(string, string, *Args) int { return -1 },
	}, Setup(func(*plain) {
		if fall {
			panic("oh no")
		}
	}))
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := w.kind("/plains").activate(t.Context(), "one")
	wantActivationError(t, err)
	fall = false
	in, err := w.kind("/plains").activate(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	in.done()
}

func TestAnOpenThatTakesTooLongFails(t *testing.T) {
	for name, tc := range map[string]struct {
		open   func(ctx context.Context) error
		closed int32
	}{
		"and obeys its context":           {func(ctx context.Context) error { return pinned.Sleep(ctx, time.Hour) }, 0},
		"and returns nil in the end":      {func(context.Context) error { pass(90 * time.Second); return nil }, 1},
		"and returns an error in the end": {func(context.Context) error { pass(90 * time.Second); return errBroken }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var times atomic.Int32
				h := newHost(t, &hooks{open: func(ctx context.Context, b *box) error {
					if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) != time.Minute {
						t.Errorf("the deadline is in %v", time.Until(deadline))
					}
					if times.Add(1) == 1 {
						return tc.open(ctx)
					}
					return nil
				}}, WithActivationSlots(1, 5*time.Second))
				began := time.Now()
				err := h.do(t.Context(), "one", nothing)
				wantActivationError(t, err)
				if d := time.Since(began); d != time.Minute {
					t.Errorf("failed after %v", d)
				}
				h.touch("two") // the slot is free
				if time.Since(began) != time.Minute {
					t.Error("another id waited for the slot")
				}
				pass(40 * time.Second)
				h.touch("one")
				if n := h.hooks.closed.Load(); n != tc.closed {
					t.Errorf("closed %d times, not %d", n, tc.closed)
				}
			})
		})
	}
}

func TestWhoMeetsAnOverdueOpenIsRefusedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times atomic.Int32
		h := newHost(t, &hooks{open: func(context.Context, *box) error {
			if times.Add(1) == 1 {
				pass(2 * time.Minute) // deaf to its context
				return errBroken
			}
			return nil
		}})
		wantActivationError(t, h.do(t.Context(), "one", nothing))
		began := time.Now()
		wantRefusal(t, h.do(t.Context(), "one", nothing), wire.RefusalClosing)
		if d := time.Since(began); d != 5*time.Second {
			t.Errorf("refused after %v", d)
		}
		pass(52 * time.Second)
		h.touch("one") // waits for the last 3 s of the first Open
	})
}

func TestAbortInOpenFailsTheActivation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times atomic.Int32
		h := newHost(t, &hooks{open: func(ctx context.Context, b *box) error {
			if times.Add(1) == 1 {
				b.Abort(errBroken)
				if ctx.Err() == nil {
					t.Error("the context goes on")
				}
			}
			return nil
		}})
		err := h.do(t.Context(), "one", nothing)
		wantActivationError(t, err)
		if !errors.Is(err, errBroken) {
			t.Errorf("the cause is %v", err)
		}
		h.touch("one")
		if n := h.hooks.closed.Load(); n != 1 {
			t.Errorf("an Open that returned nil was closed %d times", n)
		}
	})
}

func TestWorkThatOpenBeganRunsInTurns(t *testing.T) {
	h := newHost(t, &hooks{open: func(ctx context.Context, b *box) error {
		b.Go(ctx, func(context.Context) { b.turns++ })
		_ = pinned.Await(ctx, func(context.Context) error { return nil })
		b.turns++
		return nil
	}})
	for {
		done := false
		_ = h.do(t.Context(), "one", func(ctx context.Context, b *box) { done = b.turns == 2 })
		if done {
			return
		}
	}
}

func TestActivationsWaitForSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, order atomic.Int32
		h := newHost(t, &hooks{open: func(ctx context.Context, b *box) error {
			order.Add(1)
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			return pinned.Sleep(ctx, 3*time.Second)
		}}, WithActivationSlots(2, 5*time.Second))
		results := make([]<-chan error, 5)
		for i := range results {
			results[i] = h.background(t.Context(), fmt.Sprint("id", i), nothing)
			synctest.Wait()
		}
		// Two at 0 s, two at 3 s; the fifth would begin at 6 s, which is too late.
		for i, result := range results {
			err := <-result
			if i < 4 && err != nil {
				t.Errorf("request %d: %v", i, err)
			}
			if i == 4 {
				wantRefusal(t, err, wire.RefusalBusy)
			}
		}
		if most.Load() != 2 {
			t.Errorf("%d activations at once", most.Load())
		}
		// Its activation stayed in the queue.
		pass(10 * time.Second)
		if h.hooks.opened.Load() != 5 {
			t.Errorf("%d activations", h.hooks.opened.Load())
		}
		h.touch("id4")
	})
}

func TestALongOpenIsNotBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{open: func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, 4*time.Second) }},
			WithActivationSlots(1, 5*time.Second))
		one := h.background(t.Context(), "one", nothing)
		synctest.Wait()
		// It gets its slot at 4 s and is open at 8 s: the limit is that of the queue.
		two := h.background(t.Context(), "two", nothing)
		if err := errors.Join(<-one, <-two); err != nil {
			t.Error(err)
		}
	})
}

func TestResidentsKeepServingAtCapacity(t *testing.T) {
	h := newHost(t, &hooks{}, WithMaxInstances(3))
	var wg sync.WaitGroup
	var admitted atomic.Int32
	for i := range 100 {
		wg.Go(func() {
			id := fmt.Sprint("id", i)
			if err := h.do(t.Context(), id, nothing); err == nil {
				admitted.Add(1)
				if h.boxes.refuse(id) != nil {
					t.Errorf("%s is resident and refused", id)
				}
				h.touch(id)
			} else {
				wantRefusal(t, err, wire.RefusalCapacity)
				wantRefusal(t, h.boxes.refuse(id), wire.RefusalCapacity)
			}
		})
	}
	wg.Wait()
	if admitted.Load() != 3 || h.hooks.opened.Load() != 3 {
		t.Errorf("%d were admitted, %d opened", admitted.Load(), h.hooks.opened.Load())
	}
}

func TestTenThousandNewIDsAtOnceAreAllServed(t *testing.T) {
	h := newHost(t, &hooks{}, WithMaxInstances(20_000))
	var wg sync.WaitGroup
	for _, id := range manyIDs(10_000) {
		wg.Go(func() {
			if err := h.do(t.Context(), id, nothing); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		})
	}
	wg.Wait()
	if n := h.hooks.opened.Load(); n != 10_000 {
		t.Errorf("%d activations", n)
	}
}

func TestIDsOfTwoClassesAreNotOne(t *testing.T) {
	h := newHost(t, &hooks{})
	h.touch("one")
	err := h.serve(t.Context(), h.plains, "one", false, func(_ context.Context, obj any) {
		if _, ok := obj.(*plain); !ok {
			t.Errorf("%T", obj)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
