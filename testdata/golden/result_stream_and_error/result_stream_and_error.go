package result_stream_and_error

import (
	"context"
	"errors"
	"iter"

	"github.com/pinned-go/pinned"
)

// ErrNoStream comes before a stream begins.
//
//pinned:error no_stream 404
var ErrNoStream = errors.New("no stream")

//pinned:object /result_stream_and_error
type Source struct{ pinned.Object }

//pinned:route GET /seq/{n}
func (s *Source) Seq(ctx context.Context, n uint8) (iter.Seq[uint8], error) {
	return func(yield func(uint8) bool) { yield(n) }, nil
}

//pinned:route GET /seq2
func (s *Source) Seq2(ctx context.Context) (iter.Seq2[string, error], error) { return nil, ErrNoStream }
