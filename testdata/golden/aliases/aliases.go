package aliases

import (
	"context"
	stdhttp "net/http"

	"github.com/pinned-go/pinned"
)

type (
	inner        struct{ N int }
	Inner        = inner
	Deep         = *Inner
	List         = []Inner
	Number       = int
	Box[T any]   struct{ Value T }
	Boxed[T any] = Box[T]
	Object       = pinned.Object
	Context      = context.Context
	Error        = error
	Request      = stdhttp.Request
	Caller       = pinned.Caller
	Answer       = pinned.Response[Inner]
	Talk         = pinned.Conn[Inner, string]
	Q            = struct {
		A Number `query:"a"`
	}
)

type Holder struct {
	Inner
	More Boxed[Number]
	Far  Deep
}

// Lamp embeds the object by another name.
//
//pinned:object /aliases
type Lamp struct{ Object }

//pinned:route GET /number/{n}
func (l *Lamp) Number(ctx Context, n Number) (Number, Error) { return n, nil }

//pinned:route POST /inner
func (l *Lamp) Inner(ctx Context, in Inner) (Deep, error) { return &in, nil }

//pinned:route POST /list
func (l *Lamp) List(ctx Context, in Holder) (List, Error) { return List{in.Inner}, nil }

//pinned:route POST /boxed
func (l *Lamp) Boxed(ctx Context, in Boxed[Inner]) Boxed[Number] { return Boxed[Number]{in.Value.N} }

//pinned:route GET /query
func (l *Lamp) Query(ctx Context, q Q, r *Request, c Caller) (*Answer, error) {
	return &Answer{Status: 201, Body: Inner{q.A}}, nil
}

//pinned:route WEBSOCKET /talk
func (l *Lamp) Talk(ctx Context, conn *Talk) error {
	in, err := conn.Receive(ctx)
	if err != nil {
		return err
	}
	_ = in.N
	return conn.Send(ctx, "heard")
}
