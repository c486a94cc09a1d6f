package alarm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pinned-go/pinned/internal/fault"
)

// Most is how many alarms an instance holds at most: each write rewrites the row.
const Most = 1_000

// The backoff of a failing run (durability contract, section 6).
const (
	firstBackoff   = 2 * time.Second
	longestBackoff = 5 * time.Minute
)

// mostError bounds the text of a failure that the row keeps, in bytes.
const mostError = 256

// Alarms are those of one instance. The zero value has none.
type Alarms struct {
	byName  map[string]*entry
	running *entry
	sets    int64
}

// entry is one alarm.
type entry struct {
	name string
	Schedule
	due      int64 // when it fires, in unix milliseconds
	at       int64 // the time of the schedule that it fires for; less than due while it backs off
	payload  json.RawMessage
	attempts int // failed runs of this time, those that were ours left out
	failure  string
	extra    map[string]json.RawMessage // what a later version has put there

	raw     []byte // its member of the row's document; nil: to be encoded
	version int64  // of this entry; Set makes a new one
	ours    int    // failed runs that were ours, one after another
}

// Info is an alarm as its author sees it.
type Info struct {
	Name     string
	Due      time.Time // when it fires next
	Schedule Schedule  // At and Delay are not kept
	Payload  json.RawMessage
	Attempts int
	Failure  string // the last failure's text, cut at 256 bytes
}

// ErrTooMany is the error of one alarm more than an instance holds.
var ErrTooMany = fmt.Errorf("an instance holds %d alarms at most", Most)

// ErrName is the error of a name that no alarm can have.
var ErrName = errors.New("the name of an alarm has 1 to 256 bytes of UTF-8, and no control characters")

// Set sets an alarm, or replaces the one of that name, its payload and its failures
// included.
func (a *Alarms) Set(name string, s Schedule, payload json.RawMessage, now time.Time) error {
	if !validName(name) {
		return ErrName
	}
	if payload != nil && !json.Valid(payload) {
		return errors.New("the payload isn't JSON")
	}
	due, err := s.first(now)
	if err != nil {
		return err
	}
	if a.byName[name] == nil && len(a.byName) >= Most {
		return ErrTooMany
	}
	s.At, s.Delay = time.Time{}, 0
	if a.byName == nil {
		a.byName = map[string]*entry{}
	}
	a.sets++
	a.byName[name] = &entry{name: name, Schedule: s, due: due, at: due, payload: payload, version: a.sets}
	return nil
}

func validName(name string) bool {
	return name != "" && len(name) <= 256 && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Cancel takes an alarm away. It is false where there is none of that name.
func (a *Alarms) Cancel(name string) bool {
	_, ok := a.byName[name]
	delete(a.byName, name)
	return ok
}

// List are the alarms, the next first.
func (a *Alarms) List() []Info {
	var all []Info
	for _, e := range a.sorted() {
		all = append(all, Info{
			Name: e.name, Due: time.UnixMilli(e.due), Schedule: e.Schedule, Payload: e.payload,
			Attempts: e.attempts, Failure: e.failure,
		})
	}
	return all
}

func (a *Alarms) sorted() []*entry {
	all := make([]*entry, 0, len(a.byName))
	for _, e := range a.byName {
		all = append(all, e)
	}
	slices.SortFunc(all, compare)
	return all
}

func compare(x, y *entry) int {
	return cmp.Or(cmp.Compare(x.due, y.due), strings.Compare(x.name, y.name))
}

// Len is how many alarms there are.
func (a *Alarms) Len() int { return len(a.byName) }

// next is the alarm that fires next, leaving out the one that runs.
func (a *Alarms) next() (next *entry) {
	for _, e := range a.byName {
		if e != a.running && (next == nil || compare(e, next) < 0) {
			next = e
		}
	}
	return next
}

// Next is when the next alarm fires, leaving out the one that runs. It is false where
// there is none.
func (a *Alarms) Next() (time.Time, bool) {
	if e := a.next(); e != nil {
		return time.UnixMilli(e.due), true
	}
	return time.Time{}, false
}

// Firing is one run of an alarm.
type Firing struct {
	Name    string
	Due     time.Time // the time of the schedule that it is for
	Missed  int       // how many further times have passed by, of a periodic alarm
	Attempt int       // 1 for the first
	Payload json.RawMessage

	version int64
}

// Start begins the run of the alarm that is due first, of which an instance has one
// at a time. It is false where none is due or one runs. A periodic alarm that skips
// what it has missed moves to its next time instead; changed says that one has.
func (a *Alarms) Start(now time.Time) (f Firing, ok, changed bool) {
	ms := now.UnixMilli()
	if fault.Is(fault.AlarmEarly) {
		ms += 1000
	}
	for a.running == nil {
		e := a.next()
		if e == nil || e.due > ms {
			return f, false, changed
		}
		missed := 0
		if e.Periodic() && e.Missed != All {
			next, passed, err := e.after(e.at, ms)
			if e.Missed == Skip && passed > 0 && e.attempts == 0 && e.ours == 0 && err == nil {
				e.at, e.due, e.raw, changed = next, next, nil, true
				continue
			}
			missed = passed
		}
		a.running = e
		if fault.Is(fault.AlarmGoneAtStart) {
			delete(a.byName, e.name)
		}
		return Firing{
			Name: e.name, Due: time.UnixMilli(e.at), Missed: missed, Attempt: e.attempts + 1, Payload: e.payload, version: e.version,
		}, true, changed
	}
	return f, false, changed
}

// Result is how a run ended.
type Result struct {
	// Err is why it failed; nil: it succeeded.
	Err error
	// Ours says that the failure isn't the handler's: the store is down, the fence is
	// lost, the worker drains. It doesn't count against the limit.
	Ours bool
	// RetryAfter, if positive, is how long the failure says to wait.
	RetryAfter time.Duration
	// Random, from 0 to 1, takes up to a half of the backoff away.
	Random float64
}

// End ends a run. An alarm that was set anew or cancelled meanwhile, by its own
// handler or by somebody else, stays as that has left it. Of one that succeeded the
// entry is gone, or moves to its next time; one that failed backs off, and stays due
// for ever unless a limit is set. given says that it was given up. changed says
// whether the row must be written.
func (a *Alarms) End(f Firing, r Result, now time.Time) (given, changed bool) {
	a.running = nil
	e := a.byName[f.Name]
	if e == nil || e.version != f.version {
		return false, false
	}
	e.raw = nil
	switch {
	case r.Err == nil:
		a.pass(e, now)
	case r.Ours:
		e.ours++
		e.due = backOff(e.ours, r, now)
	default:
		e.ours = 0
		e.attempts++
		e.failure = cut(r.Err.Error())
		if e.Limit > 0 && e.attempts >= e.Limit {
			a.pass(e, now)
			return true, true
		}
		e.due = backOff(e.attempts, r, now)
	}
	return false, true
}

// pass ends a time of the schedule.
func (a *Alarms) pass(e *entry, now time.Time) {
	if !e.Periodic() {
		delete(a.byName, e.name)
		return
	}
	var next int64
	var err error
	if e.Missed == All {
		next, err = e.next(e.at)
	} else {
		next, _, err = e.after(e.at, now.UnixMilli())
	}
	if err != nil { // its zone is gone, or it never comes again
		delete(a.byName, e.name)
		return
	}
	e.at, e.due, e.attempts, e.ours, e.failure = next, next, 0, 0, ""
}

func backOff(failures int, r Result, now time.Time) int64 {
	d := longestBackoff
	if failures < 20 {
		d = min(firstBackoff<<(failures-1), longestBackoff)
	}
	d -= time.Duration(r.Random * float64(d) / 2)
	if r.RetryAfter > 0 {
		d = r.RetryAfter
	}
	return ceil(now.Add(d))
}

// cut bounds a text without cutting a character in two.
func cut(s string) string {
	if len(s) > mostError {
		s = s[:mostError]
	}
	return strings.ToValidUTF8(s, "")
}
