package runtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/clock"
	"github.com/pinned-go/pinned/internal/wire"
)

// A call is made again only where nothing has run: after a refusal, which the
// answer names in pinned-refusal, and where the request never left, since the
// connection was refused or was closed before it (authoring contract, section
// 5). So it is safe for any method.
const (
	// retryFor bounds the time from the first attempt to the start of the last.
	retryFor = 30 * time.Second
	// backoffFirst is the wait after an attempt that named none; it doubles up to
	// backoffMost.
	backoffFirst = 20 * time.Millisecond
	backoffMost  = time.Second
)

// isRefusal reports whether an answer says that nothing has run (wire contract,
// section 4).
func isRefusal(status int, header http.Header) bool {
	return status == http.StatusServiceUnavailable && header.Get(wire.HeaderRefusal) != ""
}

// do makes the call, again where that is safe, with the turn of ctx given up.
func (q *Request) do(ctx context.Context, want want) (*reply, error) {
	if q.fault != nil {
		return nil, q.fault
	}
	body, err := q.begin()
	if err != nil {
		return nil, badCall(err)
	}
	if !want.open {
		defer body.release()
	}
	back, err := q.depart(ctx)
	defer back()
	if err != nil {
		return nil, err
	}
	return q.attempts(ctx, body, func() (*reply, error) {
		return q.ref.endpoint.send(ctx, q, body, want)
	}, want)
}

// depart gives up the turn in ctx for a call, and waits until the call may leave:
// it must not tell another of what isn't durable (durability contract, section 3).
// back comes back with the turn.
func (q *Request) depart(ctx context.Context) (back func(), err error) {
	turn := bind.TurnIn(ctx)
	if turn == nil {
		return func() {}, nil
	}
	back = func() {}
	if given := turn.GiveUp(); given != nil {
		back, turn = given.Retake, given
	}
	if err := turn.Gate(ctx); err != nil {
		return back, q.noAnswer(err, pinned.NotRun)
	}
	return back, nil
}

// attempts makes attempts until one isn't to be made again.
func (q *Request) attempts(ctx context.Context, body *sendBody, once func() (*reply, error), want want) (*reply, error) {
	began, backoff := clock.System.Now(), backoffFirst
	for {
		rep, err := once()
		if err == nil && (rep == nil || !want.fails(rep.status, rep.header)) {
			return rep, nil
		}

		wait, again := waitBefore(rep, err)
		if !again || ctx.Err() != nil || !body.again(ctx) {
			return nil, q.failure(ctx, rep, err)
		}
		if wait == 0 {
			wait, backoff = backoff, min(2*backoff, backoffMost)
		}
		// Those that were refused together don't come back together.
		wait += rand.N(wait/4 + 1) //nolint:gosec // jitter is no secret
		if clock.System.Since(began)+wait > retryFor || !pause(ctx, wait) {
			return nil, q.failure(ctx, rep, err)
		}
	}
}

// waitBefore says whether a failed attempt may be followed by another, and how
// long its answer asked to wait.
func waitBefore(rep *reply, err error) (time.Duration, bool) {
	if sent, ok := errors.AsType[*sendError](err); ok {
		return 0, sent.again
	}
	if rep == nil || !isRefusal(rep.status, rep.header) {
		return 0, false
	}
	return readRetryAfter(rep.header), true
}

// pause waits for d. It returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	fired, stop := clock.System.Timer(d)
	defer stop()
	select {
	case <-fired:
		return true
	case <-ctx.Done():
		return false
	}
}

// giveUp gives up the turn that ctx carries. It returns what to take back, or
// nil.
func giveUp(ctx context.Context) bind.Turn {
	if t := bind.TurnIn(ctx); t != nil {
		return t.GiveUp()
	}
	return nil
}

// giveUpHeld is giveUp for a reader, which may be read by code that holds no
// turn: by the transport of a call that it is the body of, or while it is sent as
// a result.
func giveUpHeld(t bind.Turn) bind.Turn {
	if t == nil {
		return nil
	}
	if own, ok := t.(*turn); ok && own.current() == nil {
		return nil
	}
	return t.GiveUp()
}
