package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// residents counts what a worker holds.
func (h *host) residents() int { return len(h.w.resident()) }

func TestIdleInstancesAreEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		h.touch("one")
		if err := h.serve(t.Context(), h.plains, "two", false, func(context.Context, any) {}); err != nil {
			t.Fatal(err)
		}
		pass(299 * time.Second)
		h.touch("one") // stays for another 300 s
		pass(32 * time.Second)
		synctest.Wait()
		if n := h.residents(); n != 1 || h.hooks.closed.Load() != 0 {
			t.Errorf("%d are resident after 331 s, %d closed", n, h.hooks.closed.Load())
		}
		pass(300 * time.Second)
		synctest.Wait()
		if n := h.residents(); n != 0 || h.hooks.closed.Load() != 1 {
			t.Errorf("%d are resident after 631 s, %d closed", n, h.hooks.closed.Load())
		}
		if n := h.boxes.evictions.Load() + h.plains.evictions.Load(); n != 2 {
			t.Errorf("%d evictions were counted", n)
		}
		h.touch("one")
	})
}

func TestWorkBlocksEviction(t *testing.T) {
	for name, work := range map[string]func(ctx context.Context, b *box){
		"a handler": func(ctx context.Context, _ *box) { _ = pinned.Sleep(ctx, time.Hour) },
		"background work": func(ctx context.Context, b *box) {
			b.Go(ctx, func(ctx context.Context) { _ = pinned.Sleep(ctx, time.Hour) })
		},
		"a fork": func(ctx context.Context, _ *box) {
			<-bind.TurnIn(ctx).Fork(func(ctx context.Context) { _ = pinned.Sleep(ctx, time.Hour) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, &hooks{})
				result := make(chan error, 1)
				go func() { result <- h.outside(t.Context(), "one", work) }()
				pass(59 * time.Minute)
				synctest.Wait()
				if h.residents() != 1 {
					t.Error("evicted while it worked")
				}
				pass(7 * time.Minute)
				synctest.Wait()
				if h.residents() != 0 {
					t.Error("not evicted after its work")
				}
				if err := <-result; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestTheIdleHookIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		h := newHost(t, &hooks{idle: func(ctx context.Context, b *box) bool {
			b.turns++ // in a turn
			_ = pinned.Await(ctx, func(context.Context) error { return nil })
			return asked.Add(1) == 3
		}}, WithIdleTimeout(100*time.Second))
		h.touch("one")
		for n := int32(1); n <= 3; n++ {
			pass(111 * time.Second)
			synctest.Wait()
			if got := asked.Load(); got != n {
				t.Errorf("asked %d times, not %d", got, n)
			}
		}
		if h.residents() != 0 {
			t.Error("it stays after a yes")
		}
	})
}

func TestARequestDuringTheIdleHookKeepsTheInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asking := make(chan struct{}, 1)
		h := newHost(t, &hooks{idle: func(ctx context.Context, _ *box) bool {
			asking <- struct{}{}
			_ = pinned.Sleep(ctx, time.Second)
			return true
		}})
		h.touch("one")
		<-asking
		h.touch("one")
		pass(2 * time.Second)
		synctest.Wait()
		if h.residents() != 1 || h.hooks.closed.Load() != 0 {
			t.Error("evicted although it was used")
		}
	})
}

func TestARequestThatMeetsACloseWaitsForItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closing := make(chan struct{}, 1)
		var takes atomic.Int64
		takes.Store(int64(3 * time.Second))
		h := newHost(t, &hooks{close: func(context.Context, *box) error {
			closing <- struct{}{}
			pass(time.Duration(takes.Load()))
			return nil
		}}, WithMaxInstances(1))
		h.touch("one")
		<-closing
		began := time.Now()
		h.touch("one")
		if d := time.Since(began); d != 3*time.Second || h.hooks.opened.Load() != 2 {
			t.Errorf("served after %v, with %d activations", d, h.hooks.opened.Load())
		}

		takes.Store(int64(7 * time.Second))
		<-closing
		wantRefusal(t, h.do(t.Context(), "one", nothing), wire.RefusalClosing)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.do(ctx, "one", nothing); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("left with %v", err)
		}
		h.touch("one")
		takes.Store(0)
	})
}

func TestEvictionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		h := newHost(t, &hooks{close: func(ctx context.Context, _ *box) error {
			now := running.Add(1)
			defer running.Add(-1)
			for {
				m := most.Load()
				if now <= m || most.CompareAndSwap(m, now) {
					break
				}
			}
			return pinned.Sleep(ctx, time.Second)
		}})
		for _, id := range manyIDs(300) {
			h.touch(id)
		}
		pass(340 * time.Second)
		synctest.Wait()
		if n := h.residents(); n != 0 || most.Load() != concurrentEvictions {
			t.Errorf("%d are left, and %d closed at once", n, most.Load())
		}
	})
}

func TestAnInstanceWithoutWorkOwnsNothing(t *testing.T) {
	h := newHost(t, &hooks{})
	_ = h.do(t.Context(), "one", func(ctx context.Context, b *box) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		_ = child.Done()
		_ = b.Turn(ctx, func(context.Context) error { return nil })
		_ = pinned.Await(ctx, func(context.Context) error { return nil })
	})
	for _, in := range h.w.resident() {
		if in.change != nil || in.holder != nil || in.open != nil || in.line.Held() {
			t.Errorf("it keeps %v, %v, %v", in.change, in.holder, in.open)
		}
	}
}
