package runtime_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// Book is an object with a map.
type Book struct {
	pinned.Object

	pages pinned.Map[string]
}

// inBook runs f in a turn of a book, and gives the status.
func inBook(t testing.TB, w *runtime.Worker, call *func(ctx context.Context, b *Book) error, f func(ctx context.Context, b *Book) error) {
	t.Helper()
	*call = f
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/books/a", nil))
	if rec.Code != http.StatusNoContent {
		t.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
}

func newShelf(t testing.TB, store durability.StateStore, call *func(ctx context.Context, b *Book) error) *runtime.Worker {
	t.Helper()
	w, err := runtime.NewWorker(runtime.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	runtime.Register(w, runtime.Class[Book]{
		Name: "Book", Namespace: "/books",
		Base:    func(b *Book) *pinned.Object { return &b.Object },
		Match:   func(string, string, *runtime.Args) int { return 0 },
		Durable: func(b *Book, bd *runtime.Binder) { bd.Field("pages", &b.pages) },
		Routes: []runtime.Route[Book]{{Method: "POST", Pattern: "/", Func: "Call", Serve: func(c *runtime.Call) {
			ctx, b, ok := runtime.Enter[Book](c)
			if ok {
				c.AnswerNone((*call)(ctx, b))
			}
		}}},
	})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func scan(ctx context.Context, b *Book, r pinned.Range) (string, error) {
	var all []string
	for e, err := range b.pages.Scan(ctx, r) {
		if err != nil {
			return "", err
		}
		all = append(all, e.Key+"="+e.Value)
	}
	return strings.Join(all, " "), nil
}

func TestAMapSeesItsOwnWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var call func(ctx context.Context, b *Book) error
		store := durability.NewMemory()
		for round := range 2 {
			w := newShelf(t, store, &call)
			inBook(t, w, &call, func(ctx context.Context, b *Book) error {
				if round == 0 {
					for _, key := range []string{"b", "a", "c%", "c_", "é"} {
						b.pages.Put(ctx, key, strings.ToUpper(key))
					}
					b.pages.Delete(ctx, "b")
				}
				for _, test := range []struct {
					r    pinned.Range
					want string
				}{
					{pinned.Range{}, "a=A c%=C% c_=C_ é=É"},
					{pinned.Range{Prefix: "c"}, "c%=C% c_=C_"},
					{pinned.Range{Prefix: "c%"}, "c%=C%"},
					{pinned.Range{After: "a", Limit: 1}, "c%=C%"},
					{pinned.Range{After: "é"}, ""},
				} {
					if got, err := scan(ctx, b, test.r); got != test.want || err != nil {
						t.Errorf("%+v: %q, %v, want %q", test.r, got, err, test.want)
					}
				}
				if v, ok, err := b.pages.Get(ctx, "a"); v != "A" || !ok || err != nil {
					t.Error(v, ok, err)
				}
				if v, ok, err := b.pages.Get(ctx, "b"); v != "" || ok || err != nil {
					t.Error(v, ok, err)
				}
				for _, key := range []string{"", strings.Repeat("x", 1025), "a\x00b", "\xff"} {
					if _, _, err := b.pages.Get(ctx, key); err == nil {
						t.Errorf("the key %q was taken", key)
					}
					if err := b.pages.Put(ctx, key, "").Wait(ctx); err == nil {
						t.Errorf("the key %q was taken", key)
					}
				}
				return nil
			})
			if err := w.Shutdown(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAMapIsAMap drives a map of an object, which is evicted now and then, and a plain one
// with the same operations.
func TestAMapIsAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var call func(ctx context.Context, b *Book) error
		store := durability.NewMemory()
		w := newShelf(t, store, &call)
		model := map[string]string{}
		key := func(rt *rapid.T) string { return fmt.Sprintf("%04d", rapid.IntRange(0, 2000).Draw(rt, "key")) }
		rt.Repeat(map[string]func(*rapid.T){
			"write": func(rt *rapid.T) {
				inBook(t, w, &call, func(ctx context.Context, b *Book) error {
					for range rapid.IntRange(1, 150).Draw(rt, "writes") {
						k := key(rt)
						if rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
							b.pages.Delete(ctx, k)
							delete(model, k)
						} else {
							model[k] = fmt.Sprint(rapid.IntRange(0, 9).Draw(rt, "value"))
							b.pages.Put(ctx, k, model[k])
						}
					}
					return nil
				})
			},
			"get": func(rt *rapid.T) {
				inBook(t, w, &call, func(ctx context.Context, b *Book) error {
					k := key(rt)
					v, ok, err := b.pages.Get(ctx, k)
					if want, there := model[k]; v != want || ok != there {
						rt.Fatalf("%s is %q, %v, want %q, %v", k, v, ok, want, there)
					}
					return err
				})
			},
			"scan": func(rt *rapid.T) {
				inBook(t, w, &call, func(ctx context.Context, b *Book) error {
					r := pinned.Range{After: key(rt), Limit: rapid.IntRange(0, 300).Draw(rt, "limit")}
					got, err := scan(ctx, b, r)
					var want []string
					for n := range 2001 {
						k := fmt.Sprintf("%04d", n)
						if v, ok := model[k]; ok && k > r.After && (r.Limit == 0 || len(want) < r.Limit) {
							want = append(want, k+"="+v)
						}
					}
					if got != strings.Join(want, " ") {
						rt.Fatalf("%+v: %s\nwant %s", r, got, want)
					}
					return err
				})
			},
			"restart": func(*rapid.T) {
				if err := w.Shutdown(context.Background()); err != nil {
					rt.Fatal(err)
				}
				w = newShelf(t, store, &call)
			},
		})
		if err := w.Shutdown(context.Background()); err != nil {
			rt.Fatal(err)
		}
	})
}
