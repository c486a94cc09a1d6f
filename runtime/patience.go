package runtime

import (
	"context"
	"time"

	"github.com/pinned-go/pinned/internal/core/directory"
)

// patience is how long one request waits for what comes before its activation: a
// slot, and the end of the instance before. Only who has to wait has a timer.
type patience struct {
	timer   <-chan time.Time // nil: not begun
	stop    func()
	expired bool
}

// until waits for a change of an instance that was found in a state. It fails
// with the cause of ctx, or with the refusal of who waited too long.
func (p *patience) until(ctx context.Context, in *instance, state directory.State, change <-chan struct{}) error {
	for !unbounded(in, state) {
		if p.expired {
			return refusedFor(state)
		}
		if p.timer == nil {
			o := &in.w().options
			p.timer, p.stop = o.clock.Timer(o.activationWait)
		}
		select {
		case <-change:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.timer:
			p.expired = true
		}
	}
	select {
	case <-change:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unbounded reports whether the wait has a limit of its own: an activation that
// has its slot has that of Open.
func unbounded(in *instance, state directory.State) bool {
	return state == directory.Activating && in.opening.Load()
}

func refusedFor(state directory.State) *refusal {
	if state == directory.Activating {
		return refusedBusy
	}
	return refusedClosing
}

// over lets go of the timer.
func (p *patience) over() {
	if p.stop != nil {
		p.stop()
	}
}
