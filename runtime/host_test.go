package runtime

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// longest is how long a test waits for what should come at once.
const longest = time.Minute

// journal keeps what is logged.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// newTestWorker is a worker that the test shuts down.
func newTestWorker(tb testing.TB, opts ...Option) *Worker {
	tb.Helper()
	w, err := NewWorker(append([]Option{WithLogger(slog.New(slog.DiscardHandler))}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), longest)
		defer cancel()
		if err := w.Shutdown(ctx); err != nil {
			tb.Error(err)
		}
	})
	return w
}

// box is an object whose hooks a test writes.
type box struct {
	pinned.Object

	hooks *hooks
	turns int // handlers count here, without a lock
}

// hooks are a test's; nil ones do nothing. They watch that an id never has two
// live values.
type hooks struct {
	open, close func(context.Context, *box) error
	idle        func(context.Context, *box) bool
	stats       func(*box) map[string]any

	live   sync.Map // id → *box
	opened atomic.Int32
	closed atomic.Int32
	twice  atomic.Bool
}

func (b *box) Open(ctx context.Context) error {
	if _, loaded := b.hooks.live.LoadOrStore(b.ID(), b); loaded {
		b.hooks.twice.Store(true)
	}
	b.hooks.opened.Add(1)
	if b.hooks.open == nil {
		return nil
	}
	err := b.hooks.open(ctx, b)
	if err != nil {
		b.hooks.live.Delete(b.ID())
	}
	return err
}

func (b *box) Close(ctx context.Context) error {
	defer b.hooks.closed.Add(1)
	defer b.hooks.live.Delete(b.ID())
	if b.hooks.close == nil {
		return nil
	}
	return b.hooks.close(ctx, b)
}

func (b *box) Idle(ctx context.Context) bool { return b.hooks.idle == nil || b.hooks.idle(ctx, b) }

func (b *box) Stats() map[string]any {
	if b.hooks.stats == nil {
		return nil
	}
	return b.hooks.stats(b)
}

// plain is an object without hooks.
type plain struct {
	pinned.Object
}

// host is a started worker with boxes at /boxes and plains at /plains.
type host struct {
	tb     testing.TB
	w      *Worker
	boxes  *kind
	plains *kind
	hooks  *hooks
	log    *journal
}

func newHost(tb testing.TB, h *hooks, opts ...Option) *host {
	tb.Helper()
	log := &journal{}
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w := newTestWorker(tb, append([]Option{WithLogger(logger)}, opts...)...)
	nowhere := func(string, string, *Args) int { return -1 }
	Register(w, Class[box]{Name: "Box", Namespace: "/boxes", Base: func(b *box) *pinned.Object { return &b.Object }, Match: nowhere},
		Setup(func(b *box) { b.hooks = h }))
	Register(w, Class[plain]{Name: "Plain", Namespace: "/plains", Base: func(p *plain) *pinned.Object { return &p.Object }, Match: nowhere})
	if err := w.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if h.twice.Load() {
			tb.Error("an id had two live values at once")
		}
	})
	return &host{tb: tb, w: w, boxes: w.kind("/boxes"), plains: w.kind("/plains"), hooks: h, log: log}
}

// do is a request for a box whose handler is f, as the serving code runs one. It
// returns why f wasn't run, or what the instance was aborted by.
func (h *host) do(ctx context.Context, id string, f func(context.Context, *box)) error {
	return h.serve(ctx, h.boxes, id, false, func(ctx context.Context, obj any) { f(ctx, obj.(*box)) })
}

// outside is do for a concurrent route.
func (h *host) outside(ctx context.Context, id string, f func(context.Context, *box)) error {
	return h.serve(ctx, h.boxes, id, true, func(ctx context.Context, obj any) { f(ctx, obj.(*box)) })
}

func (h *host) serve(ctx context.Context, k *kind, id string, concurrent bool, f func(context.Context, any)) error {
	t := &turn{}
	in, err := k.enter(ctx, id, t, concurrent)
	if err != nil {
		return err
	}
	defer in.done()
	defer t.end()
	func() {
		defer func() {
			if v := recover(); v != nil {
				in.panicked(v, debug.Stack())
			}
		}()
		seated(t, func(t *turn) { f(t, in.obj) }, t)
	}()
	return in.abortCause()
}

// touch is do with a handler that does nothing, and must succeed.
func (h *host) touch(id string) {
	h.tb.Helper()
	if err := h.do(h.tb.Context(), id, func(context.Context, *box) {}); err != nil {
		h.tb.Fatalf("request for %s: %v", id, err)
	}
}

// background starts do in a goroutine.
func (h *host) background(ctx context.Context, id string, f func(context.Context, *box)) <-chan error {
	result := make(chan error, 1)
	go func() { result <- h.do(ctx, id, f) }()
	return result
}

// pass lets that much time of a bubble pass.
func pass(d time.Duration) { <-time.After(d) }

// receive waits for an event of a test that runs in real time.
func receive[T any](tb testing.TB, what string, events <-chan T) T {
	tb.Helper()
	select {
	case v := <-events:
		return v
	case <-time.After(longest):
		tb.Fatalf("%s didn't come in %v", what, longest)
		panic("unreachable")
	}
}

// manyIDs are n ids of 16 bytes.
func manyIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("resident%08d", i)
	}
	return ids
}

var (
	_ bind.Turn       = (*turn)(nil)
	_ bind.Turn       = outside{}
	_ bind.Instance   = (*instance)(nil)
	_ bind.Instance   = (*visitor)(nil)
	_ context.Context = (*turn)(nil)
)
