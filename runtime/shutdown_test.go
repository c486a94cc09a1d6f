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

func TestShutdownClosesEveryInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{close: func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, time.Second) }})
		for _, id := range manyIDs(1000) {
			h.touch(id)
		}
		began := time.Now()
		if err := h.w.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if n := h.hooks.closed.Load(); n != 1000 || h.residents() != 0 {
			t.Errorf("%d closed, %d left", n, h.residents())
		}
		if d := time.Since(began); d != time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func TestShutdownLetsRequestsFinishAndRefusesNewIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		h.touch("idle")
		inFlight := h.background(t.Context(), "one", func(ctx context.Context, _ *box) {
			if err := pinned.Sleep(ctx, 10*time.Second); err != nil {
				t.Errorf("a request in flight was cut short: %v", err)
			}
		})
		synctest.Wait()
		ended := make(chan error, 1)
		began := time.Now()
		go func() { ended <- h.w.Shutdown(t.Context()) }()
		synctest.Wait()
		h.touch("one") // it is resident
		for _, id := range []string{"new", "idle"} {
			wantRefusal(t, h.do(t.Context(), id, nothing), wire.RefusalDraining)
			if r := h.boxes.refuse(id); r == nil || r.reason != wire.RefusalDraining {
				t.Errorf("refuse says %v", r)
			}
		}
		if !h.w.Stats().Draining {
			t.Error("Stats doesn't say draining")
		}
		if err := errors.Join(<-inFlight, <-ended); err != nil {
			t.Error(err)
		}
		if d := time.Since(began); d != 10*time.Second || h.hooks.closed.Load() != 2 {
			t.Errorf("took %v, closed %d", d, h.hooks.closed.Load())
		}
		wantRefusal(t, h.do(t.Context(), "one", nothing), wire.RefusalDraining)
	})
}

func TestShutdownEndsStreamsAtOnceAndWorkNearTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{close: func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, time.Second) }})
		began := time.Now()
		var streamed, worked time.Duration
		stream := h.background(t.Context(), "stream", func(ctx context.Context, _ *box) {
			ctx.(*turn).stream()
			_ = pinned.Await(ctx, func(ctx context.Context) error { <-ctx.Done(); return nil })
			if err := context.Cause(ctx); !errors.Is(err, errDraining) {
				t.Errorf("the stream ended by %v", err)
			}
			streamed = time.Since(began)
		})
		_ = h.do(t.Context(), "work", func(ctx context.Context, b *box) {
			b.Go(ctx, func(ctx context.Context) {
				_ = pinned.Sleep(ctx, time.Hour)
				worked = time.Since(began)
			})
		})
		synctest.Wait()
		if err := h.w.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-stream; err != nil {
			t.Error(err)
		}
		if streamed != 0 || worked != 20*time.Second {
			t.Errorf("the stream ended after %v, the work after %v", streamed, worked)
		}
		if d := time.Since(began); d != 21*time.Second || h.hooks.closed.Load() != 2 {
			t.Errorf("took %v, closed %d", d, h.hooks.closed.Load())
		}
	})
}

func TestShutdownSaysWhatHasNotEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		deaf := h.background(t.Context(), "one", func(context.Context, *box) { pass(time.Minute) })
		h.touch("two")
		synctest.Wait()
		began := time.Now()
		err := h.w.Shutdown(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 instances") {
			t.Errorf("Shutdown: %v", err)
		}
		if d := time.Since(began); d != 25*time.Second || h.hooks.closed.Load() != 1 {
			t.Errorf("took %v, closed %d", d, h.hooks.closed.Load())
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errBroken)
		if err := h.w.Shutdown(ctx); !errors.Is(err, errBroken) {
			t.Errorf("Shutdown that may not wait: %v", err)
		}
		wantAborted(t, <-deaf)
		if err := h.w.Shutdown(t.Context()); err != nil || h.hooks.closed.Load() != 2 {
			t.Errorf("Shutdown after all has ended: %v, closed %d", err, h.hooks.closed.Load())
		}
	})
}

func TestACloseThatHangsIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 1)
		h := newHost(t, &hooks{close: func(ctx context.Context, _ *box) error {
			<-ctx.Done()
			told <- ctx.Err()
			return nil
		}})
		h.touch("one")
		if err := h.w.Shutdown(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-told; !errors.Is(err, context.Canceled) {
			t.Errorf("Close was told %v", err)
		}
	})
}

func TestStartAndShutdownInAnyOrder(t *testing.T) {
	w := newTestWorker(t)
	Register(w, Class[plain]{
		Name: "Plain", Namespace: "/plains",
		Base:  func(p *plain) *pinned.Object { return &p.Object },
		Match: func(string, string, *Args) int { return -1 },
	})
	k := w.kind("/plains")
	_, err := k.activate(t.Context(), "one")
	wantRefusal(t, err, wire.RefusalDraining) // not started
	if r := k.refuse("one"); r == nil {
		t.Error("refuse says nothing before Start")
	}
	for range 2 {
		if err := w.Start(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if k.refuse("one") != nil {
		t.Error("refused after Start")
	}
	in, err := k.activate(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	in.done()
	for range 2 {
		if err := w.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := w.Start(t.Context()); err == nil {
		t.Error("Start after Shutdown said nothing")
	}

	early := newTestWorker(t)
	if err := early.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := early.Start(t.Context()); err == nil {
		t.Error("Start after an early Shutdown said nothing")
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newTestWorker(t).Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Start with an ended context: %v", err)
	}
}

func TestAnActivationThatADrainMeetsIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{open: func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, 2*time.Second) }})
		waiting := h.background(t.Context(), "one", nothing)
		synctest.Wait()
		if err := h.w.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		wantRefusal(t, <-waiting, wire.RefusalDraining)
		if h.hooks.opened.Load() != 1 || h.hooks.closed.Load() != 1 {
			t.Errorf("opened %d, closed %d", h.hooks.opened.Load(), h.hooks.closed.Load())
		}
	})
}

// TestNoIDHasTwoLives has goroutines do everything at once to a few ids, while
// they are evicted: the hooks see at most one live value of an id, the race
// detector no two turns of one, and the shutdown all of them end.
func TestNoIDHasTwoLives(t *testing.T) {
	var fails atomic.Int32
	h := newHost(t, &hooks{open: func(ctx context.Context, b *box) error {
		b.turns++
		if fails.Add(1)%7 == 0 {
			return errBroken
		}
		return pinned.Await(ctx, func(context.Context) error { return nil })
	}, close: func(_ context.Context, b *box) error { b.turns++; return nil }},
		WithIdleTimeout(time.Millisecond), WithActivationSlots(3, 5*time.Second))
	h.w.logger = newTestWorker(t).logger // quiet
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for n := range 200 {
				id := fmt.Sprint("id", (g+n)%5)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+n%9)*time.Millisecond)
				_ = h.do(ctx, id, func(ctx context.Context, b *box) {
					b.turns++
					switch (g * n) % 11 {
					case 0:
						b.Abort(errBroken)
					case 1:
						panic("oh no")
					case 2:
						b.Go(ctx, func(ctx context.Context) {
							b.turns++
							_ = pinned.Sleep(ctx, time.Millisecond)
							b.turns++
						})
					case 3:
						_ = pinned.Sleep(ctx, time.Millisecond)
						b.turns++
					}
				})
				cancel()
				if n%50 == 0 {
					h.w.Stats()
				}
			}
		})
	}
	wg.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	if err := h.w.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	h.hooks.live.Range(func(id, _ any) bool { t.Errorf("%s still lives", id); return true })
}
