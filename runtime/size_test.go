package runtime_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// Attic keeps large things.
type Attic struct {
	pinned.Object

	box   pinned.Value[string]
	boxes pinned.Map[string]
	seen  pinned.Value[int]
}

// inAttic carries out calls on one attic.
func inAttic(t *testing.T, setup, authorize func(a *Attic)) (do func(f func(ctx context.Context, a *Attic) error) int, store *durability.Memory, log *bytes.Buffer) {
	t.Helper()
	log, store = &bytes.Buffer{}, durability.NewMemory()
	w, err := runtime.NewWorker(runtime.WithStore(store), runtime.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	var call func(ctx context.Context, a *Attic) error
	class := runtime.Class[Attic]{
		Name: "Attic", Namespace: "/attics",
		Base:  func(a *Attic) *pinned.Object { return &a.Object },
		Match: func(string, string, *runtime.Args) int { return 0 },
		Durable: func(a *Attic, b *runtime.Binder) {
			b.Field("box", &a.box)
			b.Field("boxes", &a.boxes)
			b.Field("seen", &a.seen)
		},
		Routes: []runtime.Route[Attic]{{Method: "POST", Pattern: "/do", Func: "Do", Serve: func(c *runtime.Call) {
			if ctx, a, ok := runtime.Enter[Attic](c); ok {
				c.AnswerNone(call(ctx, a))
			}
		}}},
	}
	var opts []runtime.RegisterOption
	if setup != nil {
		opts = append(opts, runtime.Setup(setup))
	}
	if authorize != nil {
		class.Routes[0].Auth = func(a *Attic, _ context.Context, _ *http.Request, _ pinned.Caller) error { authorize(a); return nil }
	}
	runtime.Register(w, class, opts...)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return func(f func(ctx context.Context, a *Attic) error) int {
		call = f
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/attics/a/do", nil))
		return rec.Code
	}, store, log
}

func TestALargeRowIsWarnedOfOnce(t *testing.T) {
	do, _, log := inAttic(t, nil, nil)
	for range 3 {
		if status := do(func(_ context.Context, a *Attic) error {
			a.seen.Set(a.seen.Get() + 1)
			a.box.Set(strings.Repeat("x", 300<<10))
			return nil
		}); status != http.StatusNoContent {
			t.Error(status)
		}
	}
	if n := strings.Count(log.String(), "a durable row is large"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, log)
	}
	for _, part := range []string{"WARN", "object", "box"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the warning doesn't say %q:\n%s", part, log)
		}
	}
}

func TestARowOfMoreThan16MiBIsRefused(t *testing.T) {
	do, store, log := inAttic(t, nil, nil)
	huge := strings.Repeat("x", 16<<20)
	if status := do(func(ctx context.Context, a *Attic) error {
		a.box.Set("small")
		return a.boxes.Put(ctx, "k", "small").Wait(ctx)
	}); status != http.StatusNoContent {
		t.Fatal(status)
	}
	for name, write := range map[string]func(ctx context.Context, a *Attic) pinned.Receipt{
		`"box"`: func(_ context.Context, a *Attic) pinned.Receipt { return a.box.Set(huge) },
		"boxes": func(ctx context.Context, a *Attic) pinned.Receipt { return a.boxes.Put(ctx, "k", huge) },
	} {
		status := do(func(ctx context.Context, a *Attic) error {
			if err := write(ctx, a).Wait(ctx); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "16 MiB") {
				t.Errorf("the receipt of %s: %v", name, err)
			}
			if v, _, err := a.boxes.Get(ctx, "k"); v != "small" || err != nil || a.box.Get() != "small" {
				t.Errorf("%s hasn't kept its value: %v", name, err)
			}
			return nil
		})
		if status != http.StatusInternalServerError {
			t.Errorf("the turn that wrote %s was answered with %d", name, status)
		}
	}
	if !strings.Contains(log.String(), "a durable write was refused") {
		t.Error(log)
	}
	entries, err := store.List(t.Context(), durability.Key{Namespace: "/attics", ID: "a"}, 0, durability.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if len(e.Doc) > 1000 {
			t.Errorf("row %s has %d bytes", e.Tray, len(e.Doc))
		}
	}
}

// TestNoTurnNoField shows that code which runs before there is a turn can't touch durable
// fields, and is told so.
func TestNoTurnNoField(t *testing.T) {
	touch := func(a *Attic) { a.seen.Set(1) }
	for name, hooks := range map[string][2]func(a *Attic){"setup": {touch, nil}, "authorize": {nil, touch}} {
		t.Run(name, func(t *testing.T) {
			do, _, log := inAttic(t, hooks[0], hooks[1])
			if status := do(func(context.Context, *Attic) error { return nil }); status < 500 {
				t.Error(status)
			}
			if !strings.Contains(log.String(), "durable field was touched") {
				t.Error(log)
			}
		})
	}
}
