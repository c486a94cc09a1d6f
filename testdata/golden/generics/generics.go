package generics

import (
	"context"
	"iter"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/generics/opt"
)

type Pair[A, B any] struct {
	First  A
	Second B
}

type Page[T any] struct {
	Items []T
	Next  *Page[T] `json:",omitempty"`
}

type Filter[T ~string | ~int] struct {
	Is T `query:"is"`
}

//pinned:object /generics
type Store struct{ pinned.Object }

//pinned:route POST /pair
func (s *Store) Pair(ctx context.Context, p Pair[int, []string]) (Pair[[]string, int], error) {
	return Pair[[]string, int]{p.Second, p.First}, nil
}

//pinned:route GET /page
func (s *Store) Page(ctx context.Context, f Filter[int]) (*Page[Pair[string, opt.Of[int]]], error) {
	return &Page[Pair[string, opt.Of[int]]]{Items: []Pair[string, opt.Of[int]]{{"a", opt.Of[int]{Set: true, Value: f.Is}}}}, nil
}

//pinned:route GET /stream
func (s *Store) Stream(ctx context.Context) iter.Seq2[Pair[int, int], error] {
	return func(yield func(Pair[int, int], error) bool) { yield(Pair[int, int]{1, 2}, nil) }
}

//pinned:route GET /response
func (s *Store) Response(ctx context.Context) *pinned.Response[Page[int]] {
	return &pinned.Response[Page[int]]{Body: Page[int]{Items: []int{1}}}
}
