package bad_socket

import (
	"context"
	"io"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_socket
type Room struct{ pinned.Object }

//pinned:route WEBSOCKET /a
func (r *Room) A(ctx context.Context) error { return nil }

//pinned:route GET /b
func (r *Room) B(ctx context.Context, conn *pinned.Conn[int, int]) error { return nil }

//pinned:route WEBSOCKET /c
func (r *Room) C(ctx context.Context, conn *pinned.Conn[int, int]) (int, error) { return 0, nil }

//pinned:route WEBSOCKET /d
func (r *Room) D(ctx context.Context, conn pinned.Conn[int, int]) error { return nil }

//pinned:route WEBSOCKET /e
func (r *Room) E(ctx context.Context, a, b *pinned.Conn[int, int]) error { return nil }

//pinned:route WEBSOCKET /f
func (r *Room) F(ctx context.Context, conn *pinned.Conn[int, int], body io.Reader) error { return nil }

//pinned:route WEBSOCKET /g
func (r *Room) G(ctx context.Context, conn *pinned.Conn[chan int, func()]) error { return nil }

//pinned:route WEBSOCKET /h
//pinned:route GET /h
func (r *Room) H(ctx context.Context, conn *pinned.Conn[int, int]) error { return nil }

//pinned:route WEBSOCKET /i
func (r *Room) I(ctx context.Context, conn *pinned.Conn[int, int], req struct{ Text string }) error { return nil }
