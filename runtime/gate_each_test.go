package runtime_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

// ways are all ways out of an instance: each does touch in a turn and then says something,
// and tells how long that took to come out.
var ways = map[string]func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration{
	"a response": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		_, took := b.do("gated", func(ctx context.Context, v *Vault) error {
			touch(ctx, v)
			return nil
		})
		return took
	},
	"an error": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		_, took := b.do("gated", func(ctx context.Context, v *Vault) error {
			touch(ctx, v)
			return &pinned.Error{Status: http.StatusConflict}
		})
		return took
	},
	"what a raw handler writes": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		b.raw = func(w http.ResponseWriter, r *http.Request, v *Vault) error {
			touch(r.Context(), v)
			_, err := io.WriteString(w, "said")
			return err
		}
		return b.timed("raw").at["said"]
	},
	"what a reader holds": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		b.reader = func(ctx context.Context, v *Vault) (io.Reader, error) {
			touch(ctx, v)
			return strings.NewReader("said"), nil
		}
		return b.timed("reader").at["said"]
	},
	"an element": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		b.stream = func(ctx context.Context, v *Vault) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				touch(ctx, v)
				_ = yield(1, nil)
			}
		}
		begin := time.Now()
		for _, err := range runtime.Elements[int](b.t.Context(), b.ref().Call("GET", "/stream")) {
			if err != nil {
				b.t.Error(err)
			}
			return time.Since(begin)
		}
		b.t.Error("no element came")
		return 0
	},
	"a frame": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		b.socket = func(ctx context.Context, v *Vault, conn *pinned.Conn[int, int]) error {
			touch(ctx, v)
			return conn.Send(ctx, 1)
		}
		return b.hear(true)
	},
	"the end of a socket": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		b.socket = func(ctx context.Context, v *Vault, _ *pinned.Conn[int, int]) error {
			touch(ctx, v)
			return nil
		}
		return b.hear(false)
	},
	"a close": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		b.socket = func(ctx context.Context, v *Vault, conn *pinned.Conn[int, int]) error {
			touch(ctx, v)
			return conn.Close(4000, "done")
		}
		return b.hear(false)
	},
	"an element of a feed": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
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
			touch(ctx, v)
			v.feed.Publish(1)
			return nil
		})
		return (<-heard).Sub(begin)
	},
	"a call to another instance": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		var took time.Duration
		b.do("gated", func(ctx context.Context, v *Vault) error {
			begin := time.Now()
			touch(ctx, v)
			err := runtime.DoNone(ctx, runtime.NewRef(runtime.From(v, "x"), "/vaults", "b", nil).Call("PUT", "/gold"))
			took = time.Since(begin)
			return err
		})
		return took
	},
	"the beginning of Await": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		var took time.Duration
		b.do("gated", func(ctx context.Context, v *Vault) error {
			begin := time.Now()
			touch(ctx, v)
			return pinned.Await(ctx, func(context.Context) error {
				took = time.Since(begin)
				return nil
			})
		})
		return took
	},
	"the beginning of Await in background work": func(b *bank, touch func(ctx context.Context, v *Vault)) time.Duration {
		begun := make(chan time.Duration, 1)
		b.do("ungated", func(ctx context.Context, v *Vault) error {
			begin := time.Now()
			touch(ctx, v)
			v.Go(ctx, func(ctx context.Context) {
				_ = pinned.Await(ctx, func(context.Context) error {
					begun <- time.Since(begin)
					return nil
				})
			})
			return nil
		})
		return <-begun
	},
}

// hear dials a socket, and tells when the first frame came, or the end.
func (b *bank) hear(frame bool) time.Duration {
	b.t.Helper()
	begin := time.Now()
	conn, err := runtime.DialSocket[int, int](b.t.Context(), b.ref().Call("WEBSOCKET", "/live"))
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = conn.Receive(b.t.Context())
	took := time.Since(begin)
	if (err == nil) != frame {
		b.t.Errorf("a frame: %v, %v", frame, err)
	}
	_ = conn.Close(1000, "")
	return took
}

// TestEachWayOutWaitsForWhatItWroteAndSawAndForNothingElse holds every way out against the
// output gate (durability contract, section 3).
func TestEachWayOutWaitsForWhatItWroteAndSawAndForNothingElse(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			inBank(t, func(b *bank) {
				took := way(b, func(ctx context.Context, v *Vault) { _ = set(ctx, v) })
				b.want("after a write of its own", took, flushTime)

				time.Sleep(time.Minute) // all is durable
				took = way(b, func(_ context.Context, v *Vault) { v.gold.Get() })
				b.want("after a read of what is durable", took, 0)

				time.Sleep(time.Minute)
				b.do("ungated", set)
				took = way(b, func(_ context.Context, v *Vault) { v.gold.Get() })
				b.want("after a read of another turn's write", took, flushTime)

				time.Sleep(time.Minute)
				b.do("ungated", set)
				took = way(b, func(_ context.Context, v *Vault) { v.hits++ })
				b.want("beside another turn's write", took, 0)
			})
		})
	}
}

// TestNoWayOutSaysWhatWasNotStored has the flush fail: whoever waited hears of no success.
func TestNoWayOutSaysWhatWasNotStored(t *testing.T) {
	inBank(t, func(b *bank) {
		b.store.fail(errors.New("the disk is full"))
		status, _ := b.do("gated", set)
		if status != http.StatusServiceUnavailable {
			t.Errorf("a response has the status %d", status)
		}
		if at, said := b.timedAt("reader", func() {
			b.reader = func(ctx context.Context, v *Vault) (io.Reader, error) {
				_ = set(ctx, v)
				return strings.NewReader("said"), nil
			}
		}); said {
			t.Errorf("a reader's bytes came after %v", at)
		}
		if at, said := b.timedAt("raw", func() {
			b.raw = func(w http.ResponseWriter, r *http.Request, v *Vault) error {
				_ = set(r.Context(), v)
				_, _ = io.WriteString(w, "said")
				return nil
			}
		}); said {
			t.Errorf("a raw handler's bytes came after %v", at)
		}
		b.store.fail(nil)
	})
}

// timedAt tells when "said" was written, and whether it was.
func (b *bank) timedAt(route string, prepare func()) (time.Duration, bool) {
	b.t.Helper()
	prepare()
	at, said := b.timed(route).at["said"]
	return at, said
}
