package runtime

import (
	"context"
	"errors"

	"github.com/pinned-go/pinned"
)

// Enter activates the object and waits for its turn; a concurrent route holds
// none. ctx is that of the handler. If ok is false the call has been answered.
func Enter[T any](c *Call) (ctx context.Context, r *T, ok bool) {
	if !c.enter() {
		return nil, nil, false
	}
	r, ok = c.in.obj.(*T)
	return c.turn, r, ok
}

// Accept is Enter for a WebSocket: the object is activated first, so that who
// can't be served gets an HTTP status; then the handshake is answered.
func Accept[T, In, Out any](c *Call) (ctx context.Context, r *T, conn *pinned.Conn[In, Out], ok bool) {
	ctx, r, ok = Enter[T](c)
	if !ok {
		return nil, nil, nil, false
	}
	if !c.accept() {
		return nil, nil, nil, false
	}
	return ctx, r, pinned.NewConn[In, Out](c.socket), true
}

// enter activates and acquires, or answers.
func (c *Call) enter() bool {
	in, err := c.kind.enterAt(c.ctx, c.id, c.epoch, c.turn, c.route.concurrent)
	if err != nil {
		if errors.As(err, new(*activationError)) {
			c.w.metrics.requestFailed("activation", c.route.method == websocketMethod)
		}
		c.writeFailure(refused(err))
		return false
	}
	c.in = in
	if c.route.ungated {
		c.turn.note(ungated)
	}
	return true
}
