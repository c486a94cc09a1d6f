package runtime

import (
	"context"
	"net"
	"time"
)

// ListenOn is ListenAndServe on a listener whose address a test knows.
func (w *Worker) ListenOn(ctx context.Context, ln net.Listener) error { return w.listen(ctx, ln) }

// WithReadHeaderTimeout shortens what a test would wait for.
func WithReadHeaderTimeout(d time.Duration) Option {
	return func(o *options) error {
		o.readHeaderTimeout = d
		return nil
	}
}
