package bad_encode

import (
	"context"
	"math/big"
	"time"

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

// Promoted has the form of the time in it, which leaves Name out.
type Promoted struct {
	time.Time
	Name string
}

// Half is written in a form that nothing reads.
type Half struct{}

func (Half) MarshalJSON() ([]byte, error) { return nil, nil }

// Left and Right have a field of one name, of which encoding/json takes none.
type (
	Left  struct{ Name string }
	Right struct{ Name string }
	Both  struct {
		Left  `json:",omitempty"`
		Right
	}
)

//pinned:route GET /h
func (r *Room) H(ctx context.Context) (Promoted, error) { return Promoted{}, nil }

//pinned:route GET /i
func (r *Room) I(ctx context.Context) (Half, error) { return Half{}, nil }

//pinned:route GET /j
func (r *Room) J(ctx context.Context) (map[string]big.Int, error) { return nil, nil }

//pinned:route GET /k
func (r *Room) K(ctx context.Context) (Both, error) { return Both{}, nil }
