package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// localWorker is a worker in local mode with vaults that count.
func localWorker(t *testing.T, opts ...runtime.Option) (*runtime.Worker, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	w, err := runtime.NewWorker(append(opts, runtime.WithLogger(logTo(&log)))...)
	if err != nil {
		t.Fatal(err)
	}
	runtime.Register(w, runtime.Class[Vault]{
		Name: "Vault", Namespace: "/vaults",
		Base:    func(v *Vault) *pinned.Object { return &v.Object },
		Match:   func(string, string, *runtime.Args) int { return 0 },
		Durable: func(v *Vault, b *runtime.Binder) { b.Field("gold", &v.gold) },
		Routes: []runtime.Route[Vault]{{Method: "POST", Pattern: "/add", Func: "Add", Serve: func(c *runtime.Call) {
			if _, v, ok := runtime.Enter[Vault](c); ok {
				v.gold.Set(v.gold.Get() + 1)
				runtime.Answer(c, v.gold.Get(), nil)
			}
		}}},
	})
	t.Cleanup(func() {
		if err := w.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return w, &log
}

func add(t *testing.T, w *runtime.Worker) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/vaults/a/add", nil))
	return rec
}

func TestAnObjectThatKeepsSomethingNeedsAStore(t *testing.T) {
	w, _ := localWorker(t)
	err := w.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "Vault") || !strings.Contains(err.Error(), "WithStore") {
		t.Errorf("%v, want an error that names the type and the option", err)
	}
}

func TestTwoWorkersInLocalModeNeverShareAStore(t *testing.T) {
	store := durability.NewMemory()
	first, _ := localWorker(t, runtime.WithStore(store))
	second, _ := localWorker(t, runtime.WithStore(store))
	if err := first.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var used *durability.InUseError
	if err := second.Start(t.Context()); !errors.As(err, &used) {
		t.Errorf("%v, want a *durability.InUseError", err)
	}
	if rec := add(t, first); rec.Body.String() != "1\n" && rec.Body.String() != "1" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if err := first.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.Start(t.Context()); err != nil {
		t.Fatal("the store is in use after its worker's end:", err)
	}
	if rec := add(t, second); strings.TrimSpace(rec.Body.String()) != "2" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func TestAFleetsRowsAreTakenOverOnlyWhenToldTo(t *testing.T) {
	store := durability.NewMemory()
	key := durability.Key{Namespace: "/vaults", ID: "a"}
	if err := store.Put(t.Context(), key, 7, durability.Tray{Namespace: "pinned", ID: "object"}, durability.Row{Doc: []byte(`{"gold":41}`)}); err != nil {
		t.Fatal(err)
	}
	w, log := localWorker(t, runtime.WithStore(store))
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rec := add(t, w); rec.Code < 500 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	for _, part := range []string{"WithTakeover", "7", "/vaults"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log doesn't say %q:\n%s", part, log)
		}
	}
	if err := w.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}

	w, log = localWorker(t, runtime.WithStore(store), runtime.WithTakeover())
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rec := add(t, w); rec.Code != http.StatusOK || strings.TrimSpace(rec.Body.String()) != "42" {
		t.Errorf("%d %s\n%s", rec.Code, rec.Body, log)
	}
	if epoch, err := store.StoredEpoch(t.Context(), key); epoch != 7 || err != nil {
		t.Errorf("the stored epoch is %d, %v: it must stay the fleet's", epoch, err)
	}
}
