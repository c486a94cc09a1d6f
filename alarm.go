package pinned

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/alarm"
)

// When says when an alarm fires (durability contract, section 6). At, After, Every
// and Cron make one; the zero When is at once.
type When struct{ s alarm.Schedule }

// At is once, at a time, or at once where that has passed. Alarms have a resolution
// of a millisecond, and are never early.
func At(t time.Time) When { return When{alarm.Schedule{At: t}} }

// After is once, after a time from now, which can't be negative.
func After(d time.Duration) When { return When{alarm.Schedule{Delay: d}} }

// Every is again and again, first after d. The times are multiples of d from the
// moment it was set, however long the runs take. d is at least 1 ms.
func Every(d time.Duration) When {
	if d <= 0 {
		d = -1 // which SetAlarm refuses; 0 would be at once
	}
	return When{alarm.Schedule{Every: d}}
}

// Cron is whenever an expression of five fields (minute, hour, day of the month,
// the month, day of the week) says, or @hourly, @daily, @weekly, @monthly or @yearly, by
// the clocks of an IANA time zone such as "Europe/Berlin"; "" is UTC. A time in an
// hour that the clocks skip comes an hour later; in one that they repeat, an
// expression with a fixed hour comes once.
func Cron(expr, zone string) When {
	if expr == "" {
		expr = " " // which SetAlarm refuses
	}
	return When{alarm.Schedule{Cron: expr, Zone: zone}}
}

// Missed says what becomes of the times of a periodic alarm at which nobody could
// run it. Default: MissedOnce.
func (w When) Missed(m Missed) When {
	w.s.Missed = m
	return w
}

// Limit bounds how often one run of the alarm is tried: a failing one is given up
// then, and a periodic alarm goes on with its next time. Default: 0, for ever.
func (w When) Limit(n int) When {
	w.s.Limit = n
	return w
}

// Missed is a policy for the missed times of a periodic alarm.
type Missed = alarm.Missed

// The policies.
const (
	MissedOnce Missed = alarm.Once // one run, which is told how many
	MissedSkip Missed = alarm.Skip // none
	MissedAll  Missed = alarm.All  // a run for each
)

// Alarm is one run of an alarm, as its method is told.
type Alarm struct {
	Name string
	Due  time.Time // when it should have run; of a retry, the first time
	// Missed is how many further times of a periodic alarm have passed since Due.
	Missed  int
	Attempt int             // 1 for the first
	Payload json.RawMessage // nil where none was given
}

// AlarmInfo is an alarm that is set.
type AlarmInfo struct {
	Name     string
	Due      time.Time // when it runs next
	Payload  json.RawMessage
	Attempts int    // runs that have failed since it last succeeded
	Failure  string // the text of the last failure, 256 bytes at most
}

// SetAlarm sets the alarm of a name, or replaces it: the method that is annotated with
// //pinned:alarm and the name runs then. A payload, of which one may be given, is
// kept as JSON. It is a durable write like any other: an answer waits for it. The
// receipt has an error where when makes no sense, the payload doesn't encode, the
// name is that of no method, or the object has 1,000 alarms.
//
// A generated Schedule method does the same with the types of the alarm's method.
func (o *Object) SetAlarm(name string, when When, payload ...any) Receipt {
	in, ok := o.in.(bind.Alarms)
	if !ok {
		return Receipt{err: fmt.Errorf("alarm %q: %w", name, errNoAlarms)}
	}
	var raw json.RawMessage
	if len(payload) > 0 {
		var err error
		if raw, err = json.Marshal(payload[0]); err != nil {
			return Receipt{err: fmt.Errorf("the payload of alarm %q: %w", name, err)}
		}
	}
	return receipt(in.SetAlarm(name, when.s, raw))
}

// errNoAlarms is the error of an object that is in no host, or in one that keeps
// nothing durable.
var errNoAlarms = errors.New("the object has no host that keeps alarms")

// CancelAlarm takes the alarm of a name away. A run that has begun goes on, and isn't
// tried again. The receipt is that of the write, or of none where there was no such
// alarm.
func (o *Object) CancelAlarm(name string) Receipt {
	if in, ok := o.in.(bind.Alarms); ok {
		if w, there := in.CancelAlarm(name); there {
			return receipt(w)
		}
	}
	return Receipt{}
}

// Alarms are those that are set, the next first.
func (o *Object) Alarms() []AlarmInfo {
	in, ok := o.in.(bind.Alarms)
	if !ok {
		return nil
	}
	infos := in.Alarms()
	all := make([]AlarmInfo, len(infos))
	for i, info := range infos {
		all[i] = AlarmInfo{Name: info.Name, Due: info.Due, Payload: info.Payload, Attempts: info.Attempts, Failure: info.Failure}
	}
	return all
}

func init() {
	bind.ScheduleOf = func(when any) alarm.Schedule {
		w, _ := when.(When)
		return w.s
	}
}
