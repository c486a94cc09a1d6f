// Package results returns a value of every kind.
package results

import (
	"context"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

// T is a struct.
type T struct{ N int }

// Kinds of results.
type (
	Names          []string
	Number         int
	Text           string
	Set            map[string]T
	Alias          = T
	Pair[A, B any] struct {
		A A
		B B
	}
)

// Thing returns.
//
//pinned:object /results
type Thing struct{ Base }

// Base embeds the object.
type Base struct{ pinned.Object }

// Methods without an error.

//pinned:route GET /nothing
//pinned:route POST /nothing/{$}
func (t *Thing) Nothing() {}

//pinned:route GET /error
func (t *Thing) Error() error { return nil }

//pinned:route GET /struct
func (t *Thing) Struct() T { return T{} }

//pinned:route GET /struct/error
func (t *Thing) StructError() (T, error) { return T{}, nil }

//pinned:route GET /pointer
func (t *Thing) Pointer() (*T, error) { return nil, nil }

//pinned:route GET /alias
func (t *Thing) Alias() (Alias, error) { return T{}, nil }

//pinned:route GET /slice
func (t *Thing) Slice() ([]T, error) { return nil, nil }

//pinned:route GET /names
func (t *Thing) Names() (Names, error) { return nil, nil }

//pinned:route GET /array
func (t *Thing) Array() ([3]int, error) { return [3]int{}, nil }

//pinned:route GET /set
func (t *Thing) Set() (Set, error) { return nil, nil }

//pinned:route GET /number
func (t *Thing) Number() (Number, error) { return 0, nil }

//pinned:route GET /flag
func (t *Thing) Flag() (bool, error) { return false, nil }

//pinned:route GET /text
func (t *Thing) Text() (Text, error) { return "", nil }

//pinned:route GET /pair
func (t *Thing) Pair() (Pair[T, map[string]time.Time], error) { panic(0) }

//pinned:route GET /anonymous
func (t *Thing) Anonymous() (struct {
	A int `json:"a,omitempty"`
}, error) {
	panic(0)
}

//pinned:route GET /any
func (t *Thing) Any() (any, error) { return nil, nil }

//pinned:route GET /string
func (t *Thing) String() string { return "" }

//pinned:route GET /bytes
func (t *Thing) Bytes() []byte { return nil }

//pinned:route GET /reader
func (t *Thing) Reader() (io.Reader, error) { return nil, nil }

//pinned:route GET /response
func (t *Thing) Response() *pinned.Response[T] { return nil }

//pinned:route GET /response/string
func (t *Thing) ResponseString() (*pinned.Response[string], error) { return nil, nil }

//pinned:route GET /response/reader
func (t *Thing) ResponseReader() (*pinned.Response[io.Reader], error) { return nil, nil }

//pinned:route GET /seq
func (t *Thing) Seq() iter.Seq[T] { return nil }

//pinned:route GET /seq/error
func (t *Thing) SeqError() (iter.Seq[string], error) { return nil, nil }

//pinned:route GET /seq2
func (t *Thing) Seq2() iter.Seq2[*T, error] { return nil }

//pinned:route GET /seq2/error
func (t *Thing) Seq2Error() (iter.Seq2[Alias, error], error) { return nil, nil }

//pinned:route GET /raw/{a}/{b...} auth=none
func (t *Thing) Raw(w http.ResponseWriter, r *http.Request) {}

//pinned:route WEBSOCKET /live concurrent
func (t *Thing) Live(ctx context.Context, conn *pinned.Conn[T, Names]) error { return nil }

// Two routes of a method have their wildcards in another order.
//
//pinned:route GET /two/{a}/{b}
//pinned:route POST /two/{b}/{a}
func (t *Thing) Two(a, b string) {}

// Everything is needed at once.
//
//pinned:route POST /everything/{n} limit=2MiB auth=Allowed
func (t *Thing) Everything(ctx context.Context, body io.Reader, n int, r *http.Request, caller pinned.Caller) (T, error) {
	return T{}, nil
}

// Serve leads back to the registration, which must be no initialisation cycle.
//
//pinned:route POST /serve
func (t *Thing) Serve(ctx context.Context) error {
	w, err := runtime.NewWorker()
	if err != nil {
		return err
	}
	Register(w, SetupThing(func(*Thing) {}))
	_, err = InProcess(w).Thing(t.ID()).Struct(ctx)
	return err
}

// Allowed allows.
func (t *Thing) Allowed(ctx context.Context, r *http.Request, caller pinned.Caller) error { return nil }

// Open is a hook.
func (t *Thing) Open(ctx context.Context) error { return nil }

// Stats is a hook.
func (t *Thing) Stats() map[string]any { return nil }

// Idle is a hook.
func (t *Thing) Idle(ctx context.Context) bool { return true }
