package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// pump carries out what a tray's machine says, while there is work: the goroutine that
// runs the author's Items and handler. Each delivery has a turn of its own, in which
// what comes after the handler runs as well, so that the acknowledgement is durable with
// what the handler wrote last.
type pump struct {
	l      *liveTray
	t      *turn
	end    context.CancelCauseFunc // of the context of t
	next   func() (any, bool)      // Items
	stop   func()
	item   any
	slot   bool
	delay  time.Duration // of the backoff
	action tray.Action
	redo   bool // action is to be carried out, and Next has been asked
}

// run starts the pump of a machine that was started.
func (l *liveTray) run() {
	in := l.d.in
	in.start(backgroundTurn(context.Background(), in, 0), func(ctx context.Context) {
		t, _ := ctx.(*turn)
		p := &pump{l: l, t: t, end: func(error) {}}
		l.pump = p
		defer p.leave()
		p.work()
	}, nil)
}

// cancel ends the context of the running delivery.
func (p *pump) cancel(cause error) { p.end(cause) }

// leave lets go of everything. It may run while a panic passes by.
func (p *pump) leave() {
	p.end(context.Canceled)
	p.freeSlot()
	p.t.end()
	if p.stop != nil {
		p.stop()
	}
}

// work runs the machine to its end. The turn of p is held at every step.
func (p *pump) work() {
	l := p.l
	for p.alive() {
		act := p.action
		if !p.redo {
			act = l.m.Next(l.windingDown())
		}
		p.redo = false
		switch act {
		case tray.Quit:
			l.save(p.t)
			l.pump = nil
			return
		case tray.Ask:
			p.ask()
		case tray.Deliver:
			if !p.deliver() {
				return
			}
			continue
		case tray.Release:
			if !p.release() {
				return
			}
		case tray.Commit:
			for _, q := range l.queues {
				q.CommitTakes()
			}
			l.m.Committed()
		case tray.Wait:
			if !p.wait() {
				return
			}
		case tray.Close:
			l.save(p.t)
			p.retire(p.l.d.frontier.Position())
			return
		case tray.Delete:
			p.retire(l.d.enlist(p.t, durability.Write{Tray: l.tray}))
			return
		case tray.Break:
			l.d.in.Abort(fmt.Errorf("row %s: the command %s isn't known", l.tray, l.m.Command()))
			return
		}
		l.save(p.t)
	}
}

// alive reports whether the instance is.
func (p *pump) alive() bool { return p.l.d.in.ended.Load() == nil }

// ask resumes Items, or begins them afresh.
func (p *pump) ask() {
	l := p.l
	if l.m.Fresh() {
		if p.stop != nil {
			p.stop()
		}
		p.next, p.stop = iter.Pull(l.ts.class.items(l.value))
	}
	var ok bool
	l.d.in.guard(p.t, func(context.Context) { p.item, ok = p.next() })
	l.m.Asked(ok)
}

// turnOver ends the turn of p and begins another one, with a context that nothing has
// ended. between runs while neither is held. It is false where the instance has ended.
func (p *pump) turnOver(between func(ctx context.Context)) bool {
	in := p.l.d.in
	p.t.end()
	p.end(context.Canceled)
	ctx, end := context.WithCancelCause(context.Background())
	p.t, p.end = newTurn(ctx, in), end
	between(p.t)
	return p.t.acquire() == nil
}

// deliver delivers the item that is there to the handler. It is false where the instance
// has ended.
func (p *pump) deliver() bool {
	l := p.l
	w := l.d.in.w()
	l.save(p.t)
	if !p.turnOver(func(ctx context.Context) { p.askSlot(ctx) }) {
		return false
	}
	defer p.freeSlot()
	if !p.slot {
		return true // the worker drains
	}
	// Somebody may have changed what is to be done, while the slot was waited for.
	if p.action = l.m.Next(l.windingDown()); p.action != tray.Deliver {
		p.redo = true
		return true
	}
	delivery := l.m.Begin(w.clock.Now())
	l.save(p.t)
	counted := l.d.frontier.Position()
	p.t.release()
	err := l.d.wait(p.t, counted)
	p.t.retake()
	if err != nil && !p.alive() {
		return false
	}
	err = p.handle(delivery)
	if !p.alive() {
		return false
	}
	p.settle(err)
	return true
}

// handle runs the handler. Its panic aborts the instance, and so does its time.
func (p *pump) handle(delivery tray.Delivery) (err error) {
	l := p.l
	in := l.d.in
	if l.m.Cancelled() {
		return nil
	}
	timeout := l.ts.class.timeout()
	inTime := in.w().clock.AfterFunc(timeout, func() {
		in.Abort(fmt.Errorf("tray %s: a delivery wasn't done in %v", l.tray, timeout))
	})
	defer inTime()
	dispatch, _ := bind.NewDispatch(&dispatch{p: p, delivery: delivery}).(*pinned.Dispatch)
	in.guard(p.t, func(ctx context.Context) { err = l.ts.class.handle(ctx, p.item, dispatch) })
	return err
}

// settle ends a delivery whose handler returned.
func (p *pump) settle(err error) {
	l := p.l
	result := tray.Done
	switch {
	case err == nil || l.m.Cancelled():
	case l.windingDown() && p.t.Err() != nil:
		result = tray.Interrupted
	default:
		result = tray.Failed
		l.d.in.Log().Error("a delivery failed", "row", clip(l.tray.String()), "attempt", l.m.Attempts(), "error", clip(err.Error()))
	}
	taken := false
	if result != tray.Done {
		for _, q := range l.queues {
			taken = q.ReturnTakes() || taken
		}
	}
	var retryAfter time.Duration
	if e, ok := errors.AsType[*pinned.Error](err); ok {
		retryAfter = e.RetryAfter
	}
	p.delay = l.m.Handled(result, retryAfter, rand.Float64(), taken) //nolint:gosec // jitter
	l.save(p.t)
}

// release has the target of a keyed admission release its key.
func (p *pump) release() bool {
	l := p.l
	rec := l.m.Releasing()
	if ts := l.d.traysOf(rec.Target.Namespace); ts != nil {
		target, err := ts.get(l.d.in.w().last, p.t, rec.Target.ID, false)
		if err != nil {
			if p.alive() {
				l.d.in.Abort(fmt.Errorf("tray %s: release the key %s: %w", l.tray, rec.Key, err))
			}
			return false
		}
		if target != nil {
			target.m.Forget(rec.Key)
			target.save(p.t)
		}
	}
	l.m.Released()
	return true
}

// traysOf are the trays of a field, or nil.
func (d *durable) traysOf(name string) *trays {
	for _, part := range d.parts {
		if ts, ok := part.(*trays); ok && ts.name == name {
			return ts
		}
	}
	return nil
}

// wait backs off. It is false where the instance has ended.
func (p *pump) wait() bool {
	l := p.l
	l.save(p.t)
	waited := false
	if !p.turnOver(func(ctx context.Context) {
		w := l.d.in.w()
		fired, stop := w.clock.Timer(p.delay)
		defer stop()
		select {
		case <-fired:
			waited = true
		case <-l.poked:
		case <-w.drain.Done():
		case <-ctx.Done():
		}
	}) {
		return false
	}
	if waited {
		l.m.Waited()
	}
	return true
}

// retire ends the tray, once its last write is durable.
func (p *pump) retire(position int64) {
	l := p.l
	p.t.release()
	_ = l.d.wait(p.t, position) // where it fails, the instance has ended
	p.t.retake()
	delete(l.ts.open, l.tray.ID)
	l.pump = nil
	close(l.freed)
}

// askSlot waits for one of the worker's slots for deliveries, unless the worker drains or
// ctx ends.
func (p *pump) askSlot(ctx context.Context) {
	w := p.l.d.in.w()
	drain := w.drain.Done()
	if p.l.ts.class.Drain {
		drain = nil
	}
	select {
	case w.dispatches <- struct{}{}:
		p.slot = true
	case <-drain:
	case <-ctx.Done():
	}
}

func (p *pump) freeSlot() {
	if p.slot {
		p.slot = false
		<-p.l.d.in.w().dispatches
	}
}

// dispatch is what a pinned.Dispatch is bound to.
type dispatch struct {
	p        *pump
	delivery tray.Delivery
}

// Delivery implements bind.Dispatch.
func (d *dispatch) Delivery() tray.Delivery { return d.delivery }

// State implements bind.Dispatch.
func (d *dispatch) State() json.RawMessage { return d.p.l.m.State() }

// SetState implements bind.Dispatch.
func (d *dispatch) SetState(raw json.RawMessage) bind.Written {
	l := d.p.l
	t := l.d.turn()
	if err := l.d.refused(); err != nil {
		return bind.Written{Err: err}
	}
	if l.m.Epoch() != d.delivery.Epoch || !l.m.SetState(raw) {
		return bind.Written{Err: tray.ErrNotRunning}
	}
	l.save(t)
	return l.written()
}

// Admit implements bind.Dispatch.
func (d *dispatch) Admit(_ context.Context, target bind.Tray, key json.RawMessage, f func()) (tray.Outcome, error) {
	l := d.p.l
	t := l.d.turn()
	if err := l.d.refused(); err != nil {
		return "", err
	}
	to, ok := target.(*liveTray)
	if !ok || to.d != l.d {
		return "", errors.New("a keyed admission goes to a tray of the same object")
	}
	if l.m.Epoch() != d.delivery.Epoch {
		return "", tray.ErrNotRunning
	}
	name := tray.Target{Namespace: to.tray.Namespace, ID: to.tray.ID}
	outcome, known, err := l.m.Find(key, name)
	if known || err != nil {
		return outcome, err
	}
	if _, err := to.m.Admit(key); err != nil {
		return "", err
	}
	done := false
	defer func() {
		if !done {
			to.m.Drop()
		}
	}()
	f()
	done = true
	outcome = to.m.End()
	to.save(t)
	if err := l.m.Record(key, name, outcome); err != nil {
		return "", err
	}
	l.save(t)
	return outcome, nil
}
