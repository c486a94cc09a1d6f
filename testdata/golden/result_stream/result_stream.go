package result_stream

import (
	"context"
	"errors"
	"iter"

	"github.com/pinned-go/pinned"
)

// ErrEmpty says that there is nothing left.
//
//pinned:error empty 410
var ErrEmpty = errors.New("nothing left")

type Item struct {
	N    int
	Text string
}

//pinned:object /result_stream
type Source struct{ pinned.Object }

//pinned:route GET /items
func (s *Source) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for n := range 3 {
			if !yield(Item{n, "a\nb"}, nil) {
				return
			}
		}
	}
}

//pinned:route GET /words
func (s *Source) Words(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) { _ = yield("one") && yield("two") }
}

//pinned:route GET /breaks
func (s *Source) Breaks(ctx context.Context) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		if yield(&Item{N: 1}, nil) {
			yield(nil, ErrEmpty)
		}
	}
}

//pinned:route GET /fails
func (s *Source) Fails(ctx context.Context) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) { yield(0, ErrEmpty) }
}

//pinned:route GET /nothing
func (s *Source) Nothing() iter.Seq[[]int] { return func(func([]int) bool) {} }

//pinned:route POST /squares
func (s *Source) Squares(ctx context.Context, req struct{ Of []int }) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, n := range req.Of {
			if !yield(n * n) {
				return
			}
		}
	}
}
