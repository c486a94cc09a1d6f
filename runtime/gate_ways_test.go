package runtime_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// timed is a ResponseWriter that notes when its bytes come.
type timed struct {
	*httptest.ResponseRecorder

	begin time.Time
	at    map[string]time.Duration
}

func (w *timed) Write(p []byte) (int, error) {
	w.at[string(p)] = time.Since(w.begin)
	return w.ResponseRecorder.Write(p)
}

func (w *timed) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (b *bank) timed(route string) *timed {
	b.t.Helper()
	w := &timed{httptest.NewRecorder(), time.Now(), map[string]time.Duration{}}
	b.worker.ServeHTTP(w, httptest.NewRequestWithContext(b.t.Context(), http.MethodPost, "/vaults/a/"+route, nil))
	return w
}

func TestWhatARawHandlerWritesWaits(t *testing.T) {
	inBank(t, func(b *bank) {
		b.raw = func(w http.ResponseWriter, r *http.Request, v *Vault) error {
			if _, err := io.WriteString(w, "before"); err != nil {
				return err
			}
			_ = set(r.Context(), v)
			_, err := io.WriteString(w, "after")
			return err
		}
		w := b.timed("raw")
		b.want("what was written before", w.at["before"], 0)
		b.want("what was written after", w.at["after"], flushTime)

		b.raw = func(_ http.ResponseWriter, r *http.Request, v *Vault) error { return set(r.Context(), v) }
		_, took := b.request(http.MethodPost, "raw")
		b.want("the end of a raw handler that says nothing", took, flushTime)

		b.store.fail(&durability.UnknownError{Op: "apply", Err: errors.New("x")})
		if status, _ := b.request(http.MethodPost, "raw"); status != http.StatusServiceUnavailable {
			t.Errorf("status %d of a raw handler whose write failed", status)
		}
		b.store.fail(nil)
	})
}

func TestAReadersBytesWait(t *testing.T) {
	inBank(t, func(b *bank) {
		b.reader = func(ctx context.Context, v *Vault) (io.Reader, error) {
			_ = set(ctx, v)
			return strings.NewReader("all"), nil
		}
		b.want("what a reader holds", b.timed("reader").at["all"], flushTime)
	})
}

func TestTheEndOfASocketWaits(t *testing.T) {
	inBank(t, func(b *bank) {
		for name, end := range map[string]func(conn *pinned.Conn[int, int]) error{
			"a close": func(conn *pinned.Conn[int, int]) error { return conn.Close(4000, "done") },
			"an end":  func(*pinned.Conn[int, int]) error { return nil },
			"an error": func(*pinned.Conn[int, int]) error {
				return errors.New("no")
			},
		} {
			b.socket = func(ctx context.Context, v *Vault, conn *pinned.Conn[int, int]) error {
				_ = set(ctx, v)
				return end(conn)
			}
			begin := time.Now()
			conn, err := runtime.DialSocket[int, int](b.t.Context(), b.ref().Call("WEBSOCKET", "/live"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Receive(b.t.Context()); err == nil {
				t.Errorf("%s: a frame came", name)
			}
			b.want("a socket that ends with "+name, time.Since(begin), flushTime)
			_ = conn.Close(1000, "")
		}
	})
}

func TestUngatedElementsAndFramesDoNotWait(t *testing.T) {
	inBank(t, func(b *bank) {
		b.stream = func(_ context.Context, v *Vault) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				v.gold.Set(v.gold.Get() + 1)
				_ = yield(1, nil)
			}
		}
		begin := time.Now()
		for _, err := range runtime.Elements[int](b.t.Context(), b.ref().Call("GET", "/ungatedstream")) {
			if err != nil {
				t.Fatal(err)
			}
			b.want("an element", time.Since(begin), 0)
		}
		b.socket = func(ctx context.Context, v *Vault, conn *pinned.Conn[int, int]) error {
			v.gold.Set(v.gold.Get() + 1)
			return conn.Send(ctx, 1)
		}
		begin = time.Now()
		conn, err := runtime.DialSocket[int, int](b.t.Context(), b.ref().Call("WEBSOCKET", "/ungatedlive"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Receive(b.t.Context()); err != nil {
			t.Fatal(err)
		}
		b.want("a frame", time.Since(begin), 0)
		_ = conn.Close(1000, "")
	})
}

func TestTheAnswerToAPanicWaitsForWhatItsTurnSaw(t *testing.T) {
	inBank(t, func(b *bank) {
		b.do("ungated", set)
		status, took := b.do("gated", func(_ context.Context, v *Vault) error {
			if v.gold.Get() == 1 {
				panic("gold is 1")
			}
			return nil
		})
		if status != http.StatusInternalServerError {
			t.Error(status)
		}
		b.want("the answer to a panic", took, flushTime)
	})
}

func TestAShutdownWaitsForTheLastFlush(t *testing.T) {
	inBank(t, func(b *bank) {
		b.store.d = 20 * time.Second
		b.do("ungated", set)
		if err := b.worker.Shutdown(b.t.Context()); err != nil {
			t.Error(err)
		}
		row, ok, err := b.store.Get(t.Context(), durability.Key{Namespace: "/vaults", ID: "a"}, 0, durability.Tray{Namespace: "pinned", ID: "object"})
		if err != nil || !ok || string(row.Doc) != `{"gold":1}` {
			t.Errorf("the worker has ended, and %s is stored: %v", row.Doc, err)
		}
	})
}

// away is a store that can't be reached.
type away struct {
	*durability.Memory

	gone atomic.Bool
}

func (s *away) List(ctx context.Context, key durability.Key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
	if s.gone.Load() {
		return nil, errors.New("connection refused")
	}
	return s.Memory.List(ctx, key, epoch, f)
}

func TestWhileTheStoreIsAwayActivationsAreRefused(t *testing.T) {
	store := &away{Memory: durability.NewMemory()}
	w, log := localWorker(t, runtime.WithStore(store))
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	store.gone.Store(true)
	rec := add(t, w)
	if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" || rec.Header().Get("Pinned-Refusal") != "store" ||
		strings.Contains(rec.Body.String(), "connection refused") {
		t.Errorf("%d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	if !strings.Contains(log.String(), "connection refused") {
		t.Error("the log doesn't say why")
	}
	store.gone.Store(false)
	if rec := add(t, w); rec.Code != http.StatusOK {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}
