package bad_encode

import (
	"context"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/bad_encode/elsewhere"
)

type Deep struct {
	Inner Inner
}

type Inner struct {
	Items []map[string]*Item
}

type Item struct {
	Name string
	Done chan struct{}
}

type Locked struct {
	Mu elsewhere.Mutex
	N  int
}

type Stringy map[struct{ A int }]string

type hidden struct{ a, b int }

type Complex struct{ C complex64 }

//pinned:object /bad_encode
type Room struct{ pinned.Object }

//pinned:route POST /a
func (r *Room) A(ctx context.Context, d Deep) error { return nil }

//pinned:route GET /b
func (r *Room) B(ctx context.Context) (Deep, error) { return Deep{}, nil }

//pinned:route GET /c
func (r *Room) C(ctx context.Context) (Locked, error) { return Locked{}, nil }

//pinned:route GET /d
func (r *Room) D(ctx context.Context) (Stringy, error) { return nil, nil }

//pinned:route GET /e
func (r *Room) E(ctx context.Context) (*elsewhere.URL, error) { return nil, nil }

//pinned:route GET /f
func (r *Room) F(ctx context.Context) ([]hidden, error) { return nil, nil }

//pinned:route GET /g
func (r *Room) G(ctx context.Context) (Complex, error) { return Complex{}, nil }
