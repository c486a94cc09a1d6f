package bad_results

import (
	"context"
	"io"
	"iter"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_results
type Room struct{ pinned.Object }

//pinned:route GET /a
func (r *Room) A(ctx context.Context) (int, int) { return 0, 0 }

//pinned:route GET /b
func (r *Room) B(ctx context.Context) (error, int) { return nil, 0 }

//pinned:route GET /c
func (r *Room) C(ctx context.Context) (int, int, error) { return 0, 0, nil }

//pinned:route GET /d
func (r *Room) D(ctx context.Context) chan int { return nil }

//pinned:route GET /e
func (r *Room) E(ctx context.Context) (func(), error) { return nil, nil }

//pinned:route GET /f
func (r *Room) F(ctx context.Context) (iter.Seq[int], error) { return nil, nil }

//pinned:route GET /g
func (r *Room) G(ctx context.Context) iter.Seq2[int, string] { return nil }

//pinned:route GET /h
func (r *Room) H(ctx context.Context) pinned.Response[int] { return pinned.Response[int]{} }

//pinned:route HEAD /i
func (r *Room) I(ctx context.Context) (int, error) { return 0, nil }

//pinned:route GET /j
func (r *Room) J(ctx context.Context) (io.ReadCloser, error) { return nil, nil }

//pinned:route GET /k
func (r *Room) K(ctx context.Context) (io.Writer, error) { return nil, nil }

//pinned:route GET /l
func (r *Room) L(ctx context.Context) *pinned.Response[iter.Seq[int]] { return nil }

//pinned:route GET /m
func (r *Room) M(ctx context.Context) (err error, err2 error) { return nil, nil }
