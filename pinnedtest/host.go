package pinnedtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/clock"
	"github.com/pinned-go/pinned/internal/wire"
	"github.com/pinned-go/pinned/runtime"
)

// defaultID is the id of an object that WithID gives no other.
const defaultID = "test"

// Host binds an object that the test made by hand, such as &Room{}: what it calls
// through another package's From reaches that package's fake, which its NewFake
// returns. A call to a package without a fake is an error that says so.
//
// Its turn is the test's: a method runs as the test calls it, Await and Turn just
// run their functions, and Go runs its in the background at once. Abort ends the
// contexts of those. ID is "test", or what WithID says.
//
// Host panics on what is no fake, on two fakes of one package, on an id that no
// object can have, and on an object that has a host already.
func Host(r pinned.Hosted, fakes ...pinned.Faked) {
	if bind.Of(r) != nil {
		panic("pinnedtest.Host: the object has a host already")
	}
	h := &host{id: defaultID, fakes: map[string]bind.Target{}}
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	for _, faked := range fakes {
		if faked == nil {
			panic("pinnedtest.Host: a fake is nil")
		}
		h.take(bind.FakedTarget(faked))
	}
	bind.Bind(r, h)
}

// WithID is an option of Host: the id of the object.
func WithID(id string) pinned.Faked {
	return option{pinned.Target(bind.NewTarget(objectID(id)))}
}

// option carries an option among the fakes.
type option struct{ pinned.Target }

type objectID string

// host is what stands in for a worker.
type host struct {
	id     string
	fakes  map[string]bind.Target // by the import path of their package
	ctx    context.Context        //nolint:containedctx // of what Go starts
	cancel context.CancelCauseFunc
}

func (h *host) take(t bind.Target) {
	if id, ok := t.To().(objectID); ok {
		if err := wire.ValidID(string(id)); err != nil {
			panic(fmt.Sprintf("pinnedtest.Host: %v", err))
		}
		h.id = string(id)
		return
	}
	pkg, ok := runtime.FakeOf(pinned.Target(t))
	if !ok {
		panic("pinnedtest.Host: a client that NewFake didn't make")
	}
	if _, twice := h.fakes[pkg]; twice {
		panic("pinnedtest.Host: two fakes of " + pkg)
	}
	h.fakes[pkg] = t
}

// Fake is what the runtime asks for the target of a From.
func (h *host) Fake(pkg string) (bind.Target, bool) {
	t, ok := h.fakes[pkg]
	return t, ok
}

func (h *host) ID() string        { return h.id }
func (h *host) Now() time.Time    { return clock.System.Now() }
func (h *host) Epoch() int64      { return 0 }
func (h *host) Lease() bind.Lease { return bind.Lease{Healthy: true} }
func (h *host) Log() *slog.Logger { return slog.Default().With("id", h.id) }

func (h *host) Go(ctx context.Context, f func(context.Context)) {
	if h.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(h.ctx, func() { cancel(context.Cause(h.ctx)) })
	go func() {
		defer cancel(nil)
		defer stop()
		f(ctx)
	}()
}

func (h *host) Turn(ctx context.Context, f func(context.Context) error) error { return f(ctx) }

func (h *host) Abort(cause error) {
	if cause == nil {
		cause = errors.New("aborted")
	}
	h.cancel(cause)
}
