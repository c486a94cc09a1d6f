package dot_import

import (
	. "context"
	. "iter"

	. "github.com/pinned-go/pinned"
)

//pinned:object /dot_import
type Lamp struct{ Object }

//pinned:route GET /
func (l *Lamp) Get(ctx Context, c Caller) (string, error) { return c.ID, nil }

// Named has parameters called as what is imported here.
//
//pinned:route POST /named
func (l *Lamp) Named(Background Context, Pull struct{ N int }) (*Response[int], error) {
	return &Response[int]{Status: 202, Body: Pull.N}, nil
}

//pinned:route GET /stream
func (l *Lamp) Stream() Seq2[int, error] {
	return func(yield func(int, error) bool) { yield(1, nil) }
}
