package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/alarm"
)

// Alarm is a method of T that runs when the alarm of a name is due.
type Alarm[T any] struct {
	Name string
	Run  func(r *T, ctx context.Context, a pinned.Alarm) error
}

// alarmFunc is an Alarm without its type.
type alarmFunc = func(obj any, ctx context.Context, a pinned.Alarm) error

// alarms are the methods by the names of their alarms, or nil.
func (c *Class[T]) alarms() map[string]alarmFunc {
	if len(c.Alarms) == 0 {
		return nil
	}
	all := make(map[string]alarmFunc, len(c.Alarms))
	for _, a := range c.Alarms {
		all[a.Name] = func(obj any, ctx context.Context, info pinned.Alarm) error {
			return a.Run(obj.(*T), ctx, info) //nolint:errcheck,forcetypeassert // fresh makes a *T
		}
	}
	return all
}

// mostPayload bounds the payload of an alarm, in bytes: each write of one writes all.
const mostPayload = 256 << 10

// alarms are those of an instance: a part of what it keeps. They are for who holds the
// turn.
type alarms struct {
	d    *durable
	set  alarm.Alarms
	pos  int64 // of the last write
	runs bool  // a goroutine runs what is due
	tick tick  // belongs to the worker's clock
}

// claims implements part.
func (a *alarms) claims(t durability.Tray) bool { return t == durability.AlarmTray }

// hydrate implements part.
func (a *alarms) hydrate(e durability.Entry) error {
	set, err := alarm.Parse(e.Doc)
	if err == nil {
		a.set = *set
	}
	return err
}

// hydrated implements part.
func (a *alarms) hydrated() error { return nil }

// started implements part.
func (a *alarms) started() { a.await() }

// await has the worker's clock ring when the next alarm is due.
func (a *alarms) await() {
	next, ok := a.set.Next()
	a.d.in.w().ticks.await(a.d.in.w(), a, next, ok)
}

// alarmDoc is the document of the row at one moment.
type alarmDoc []byte

// AppendDoc implements durability.Document.
func (d alarmDoc) AppendDoc(dst []byte) []byte { return append(dst, d...) }

// write enlists the row in the turn t, which is held.
func (a *alarms) write(t *turn) {
	w := durability.Write{Tray: durability.AlarmTray}
	if doc := a.set.Doc(); doc != nil {
		w.Doc = alarmDoc(doc)
	}
	a.pos = a.d.enlist(t, w)
}

// written is the receipt of what was just written.
func (a *alarms) written() bind.Written { return bind.Written{Row: a.d.object, Pos: a.pos} }

// errNoAlarms is the error of an alarm that no method is for.
var errNoAlarms = errors.New("the object has no method for it: annotate one with //pinned:alarm")

// SetAlarm implements bind.Alarms.
func (in *instance) SetAlarm(name string, s alarm.Schedule, payload json.RawMessage) bind.Written {
	if in.durable == nil || in.shard.kind.alarms[name] == nil {
		return bind.Written{Err: fmt.Errorf("alarm %q: %w", name, errNoAlarms)}
	}
	d := in.durable
	t := d.turn()
	err := d.refused()
	if err == nil && len(payload) > mostPayload {
		err = fmt.Errorf("its payload has %d bytes, and 256 KiB is the most", len(payload))
	}
	if err == nil {
		err = d.alarms.set.Set(name, s, payload, in.Now())
	}
	if err != nil {
		return bind.Written{Err: fmt.Errorf("alarm %q: %w", name, err)}
	}
	d.alarms.write(t)
	d.alarms.await()
	return d.alarms.written()
}

// CancelAlarm implements bind.Alarms.
func (in *instance) CancelAlarm(name string) (bind.Written, bool) {
	if in.durable == nil || in.durable.alarms == nil {
		return bind.Written{}, false
	}
	d := in.durable
	t := d.turn()
	if err := d.refused(); err != nil {
		return bind.Written{Err: err}, true
	}
	t.raise(d.alarms.pos)
	if !d.alarms.set.Cancel(name) {
		return bind.Written{}, false
	}
	d.alarms.write(t)
	d.alarms.await()
	return d.alarms.written(), true
}

// Alarms implements bind.Alarms.
func (in *instance) Alarms() []alarm.Info {
	if in.durable == nil || in.durable.alarms == nil {
		return nil
	}
	d := in.durable
	d.turn().raise(d.alarms.pos)
	return d.alarms.set.List()
}

// ring is called by the worker's clock when something is due. The runs of an instance
// come one after another, in the background.
func (a *alarms) ring() {
	in := a.d.in
	in.start(backgroundTurn(context.Background(), in, 0), func(ctx context.Context) {
		if a.runs {
			return
		}
		a.runs = true
		defer func() { a.runs = false }()
		t, _ := ctx.(*turn)
		for in.ended.Load() == nil && in.w().drain.Err() == nil && a.run(t) {
		}
		if in.ended.Load() == nil {
			a.await()
		}
	}, nil)
}

// run runs the alarm that is due first. It is false where none is.
func (a *alarms) run(t *turn) bool {
	in := a.d.in
	f, ok, changed := a.set.Start(in.Now())
	if changed {
		a.write(t)
	}
	if !ok {
		return false
	}
	err := a.handle(t, f)
	if in.ended.Load() != nil {
		return false // the row is as it was: it runs again
	}
	var retryAfter time.Duration
	if e, is := errors.AsType[*pinned.Error](err); is {
		retryAfter = e.RetryAfter
	}
	given, changed := a.set.End(f, alarm.Result{
		Err: err, Ours: in.w().drain.Err() != nil, RetryAfter: retryAfter, Random: rand.Float64(), //nolint:gosec // jitter
	}, in.Now())
	if changed {
		a.write(t)
	}
	switch {
	case given:
		in.Log().Error("an alarm was given up", "alarm", clip(f.Name), "attempt", f.Attempt, "error", clip(err.Error()))
	case err != nil:
		in.Log().Error("an alarm failed", "alarm", clip(f.Name), "attempt", f.Attempt, "error", clip(err.Error()))
	}
	return true
}

// handle calls the method. What it writes is one segment with the end of the run, from
// its last yield on.
func (a *alarms) handle(t *turn, f alarm.Firing) (err error) {
	in := a.d.in
	run := in.shard.kind.alarms[f.Name]
	if run == nil {
		return errNoAlarms
	}
	in.guard(t, func(ctx context.Context) {
		err = run(in.obj, ctx, pinned.Alarm{Name: f.Name, Due: f.Due, Missed: f.Missed, Attempt: f.Attempt, Payload: f.Payload})
	})
	return err
}
