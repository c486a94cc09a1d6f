package runtime

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
)

// visitor is what a value that only authorizes is bound to. It knows its id and
// its host, but is no instance: nothing of it is ended, counted or in the
// directory.
type visitor struct {
	kind *kind
	id   string
}

func (v *visitor) ID() string { return v.id }

func (v *visitor) Now() time.Time { return v.kind.w.clock.Now() }

func (v *visitor) Epoch() int64 { return 0 }

func (v *visitor) Lease() bind.Lease { return bind.Lease{Healthy: true} }

func (v *visitor) Log() *slog.Logger { return v.kind.log.With("id", clip(v.id)) }

// Go runs f beside the request, until the worker is shut down.
func (v *visitor) Go(ctx context.Context, f func(context.Context)) {
	w := v.kind.w
	w.spawn(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(w.cut, cancel)()
		defer func() {
			if p := recover(); p != nil {
				v.Log().Error("panic in the background work of an authorization",
					"panic", (&panicError{p}).Error(), "stack", stackText(debug.Stack()))
			}
		}()
		f(ctx)
	})
}

// Turn just runs f: the value is its request's own.
func (v *visitor) Turn(ctx context.Context, f func(context.Context) error) error { return f(ctx) }

func (v *visitor) Abort(error) {}

// hostOf is the worker that holds what a Hosted is bound to, and as whom it
// calls.
func hostOf(in bind.Instance) (w *Worker, namespace, id string, ok bool) {
	switch in := in.(type) {
	case *instance:
		return in.shard.kind.w, in.shard.kind.namespace, in.ID(), true
	case *visitor:
		return in.kind.w, in.kind.namespace, in.id, true
	}
	return nil, "", "", false
}
