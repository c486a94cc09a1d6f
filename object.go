package pinned

import (
	"context"
	"log/slog"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/clock"
)

// Object makes the struct that embeds it an object: what it knows of itself, and
// what it can ask of its host. It must not be copied.
//
// The zero value works without a host, so that a unit test can call the methods
// of &Room{}: the id is "", Go runs its function in the background with the
// given context, Turn runs its function, and Abort does nothing.
//
// The list of its methods is closed, so that an author's own never collide with
// one that comes later.
type Object struct {
	_ noCopy

	in bind.Instance
}

// noCopy makes vet's copylocks report a copy of what has one.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Hosted is any pointer to a struct that embeds Object.
type Hosted interface{ object() *Object }

func (o *Object) object() *Object { return o }

func init() {
	bind.Bind = func(hosted any, in bind.Instance) {
		if h, ok := hosted.(Hosted); ok {
			h.object().in = in
		}
	}
	bind.Of = func(hosted any) bind.Instance {
		h, ok := hosted.(Hosted)
		if !ok {
			return nil
		}
		o := h.object()
		if o == nil {
			return nil
		}
		return o.in
	}
}

// ID is the id under which the object is called: 1 to 256 characters of
// A-Z a-z 0-9 . _ ~ - (wire contract, section 1).
func (o *Object) ID() string {
	if o.in == nil {
		return ""
	}
	return o.in.ID()
}

// Now is the time of the host's clock, the one that tests move.
func (o *Object) Now() time.Time {
	if o.in == nil {
		return clock.System.Now()
	}
	return o.in.Now()
}

// Epoch is a fencing token for outside systems: it is higher for each later
// owner of the id. In local mode it is 0.
func (o *Object) Epoch() int64 {
	if o.in == nil {
		return 0
	}
	return o.in.Epoch()
}

// Lease is what the host holds this instance by. In local mode it is healthy
// and never expires.
func (o *Object) Lease() Lease {
	if o.in == nil {
		return Lease{Healthy: true}
	}
	return Lease(o.in.Lease())
}

// Log is the host's logger with the namespace and the id.
func (o *Object) Log() *slog.Logger {
	if o.in == nil {
		return slog.Default()
	}
	return o.in.Log()
}

// Go starts background work that is bound to the instance. It waits for a turn
// like a request does, and each piece of it, from one yield to the next, runs in
// one. While it runs the instance isn't evicted; teardown waits for it, and its
// context ends when the instance does or when Abort is called. The context has
// the values of ctx, but not its end. A panic in f aborts the instance. On an
// instance that has ended, f doesn't run.
func (o *Object) Go(ctx context.Context, f func(context.Context)) {
	if o.in == nil {
		go f(context.WithoutCancel(ctx))
		return
	}
	o.in.Go(ctx, f)
}

// Turn runs f in a turn, which is how a concurrent route reaches the object's
// fields. Inside a turn it just runs f. It returns f's error, or why f never
// ran: ctx ended while it waited in the line, or the instance did.
func (o *Object) Turn(ctx context.Context, f func(context.Context) error) error {
	if o.in == nil {
		return f(ctx)
	}
	return o.in.Turn(ctx, f)
}

// Abort ends the instance without waiting for its turn, because of cause: the
// contexts of its handlers, streams and background work end, and what they
// answer is 503 "instance aborted". Close runs once they have returned, and the
// next request activates a new instance after that. Only the first Abort of an
// instance counts.
func (o *Object) Abort(cause error) {
	if o.in != nil {
		o.in.Abort(cause)
	}
}
