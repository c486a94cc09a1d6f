package alarm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	cron "github.com/netresearch/go-cron"
)

// Missed says what becomes of the times of a periodic alarm at which nobody was
// there to run it.
type Missed string

// The policies. Once is the default.
const (
	Once Missed = "once" // one run for all of them
	Skip Missed = "skip" // none: the next one is awaited
	All  Missed = "all"  // a run for each
)

// Schedule is when an alarm fires: At a time, after a Delay, Every so often, or as a
// Cron expression says in a Zone. One of the four is set; all zero is at once.
type Schedule struct {
	At     time.Time
	Delay  time.Duration
	Every  time.Duration
	Cron   string // five fields, or @hourly, @daily, @weekly, @monthly, @yearly
	Zone   string // IANA; "" is UTC
	Missed Missed // "": Once
	// Limit is how often a failing run is tried before the alarm is given up, and a
	// periodic one left until its next time; 0: for ever.
	Limit int
}

// Periodic reports whether the alarm has more than one time.
func (s Schedule) Periodic() bool { return s.Every != 0 || s.Cron != "" }

// ErrNever is the error of a schedule that has no time.
var ErrNever = errors.New("the schedule never comes")

// leastEvery bounds how often a periodic alarm fires.
const leastEvery = time.Millisecond

// check finds the faults of a schedule.
func (s Schedule) check() error {
	switch {
	case s.Every < 0 || s.Every > 0 && s.Every < leastEvery:
		return fmt.Errorf("a period of %v: at least 1ms is needed", s.Every)
	case s.Delay < 0:
		return fmt.Errorf("a delay of %v: it can't be negative", s.Delay)
	case s.Limit < 0:
		return fmt.Errorf("a limit of %d: it can't be negative", s.Limit)
	case s.Missed != "" && s.Missed != Once && s.Missed != Skip && s.Missed != All:
		return fmt.Errorf("missed %q: it is one of once, skip and all", s.Missed)
	}
	if s.Cron == "" {
		return nil
	}
	_, err := parse(s.Cron, s.Zone)
	return err
}

// first is the first time of the schedule of an alarm that is set now, in
// milliseconds, and never before it.
func (s Schedule) first(now time.Time) (int64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	switch {
	case s.Every > 0:
		return ceil(now.Add(s.Every)), nil
	case s.Cron != "":
		return s.next(ceil(now))
	case s.At.IsZero():
		return ceil(now.Add(s.Delay)), nil
	}
	return ceil(s.At), nil
}

// ceil is a time in whole milliseconds, rounded up: an alarm is never early.
func ceil(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		ms++
	}
	return ms
}

// next is the time of a periodic schedule after one of its times.
func (s Schedule) next(at int64) (int64, error) {
	if s.Every > 0 {
		return at + s.Every.Milliseconds(), nil
	}
	p, err := parse(s.Cron, s.Zone)
	if err != nil {
		return 0, err
	}
	return p.next(at)
}

// after is the first time of a periodic schedule after now, where at is one of its
// times, and how many come after at and not after now.
func (s Schedule) after(at, now int64) (next int64, passed int, err error) {
	if s.Every > 0 {
		every := s.Every.Milliseconds()
		if now >= at {
			passed = int((now - at) / every)
		}
		return at + int64(passed+1)*every, passed, nil
	}
	p, err := parse(s.Cron, s.Zone)
	if err != nil {
		return 0, 0, err
	}
	for next, err = p.next(at); err == nil && next <= now; next, err = p.next(next) {
		if passed++; passed == mostCounted {
			next, err = p.next(now)
			break
		}
	}
	return next, passed, err
}

// mostCounted bounds how many missed times are counted one by one.
const mostCounted = 100_000

// timetable is a parsed cron expression.
type timetable struct {
	schedule cron.Schedule
	zone     *time.Location
	hourly   bool // the hour isn't fixed
}

var parser = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// parse reads an expression in a zone.
func parse(expr, zone string) (timetable, error) {
	trimmed := strings.TrimSpace(expr)
	if strings.HasPrefix(trimmed, "TZ=") || strings.HasPrefix(trimmed, "CRON_TZ=") || strings.HasPrefix(trimmed, "@every") {
		return timetable{}, fmt.Errorf("cron %q: a zone is given beside the expression, and a period by Every", expr)
	}
	location := time.UTC
	if zone != "" {
		var err error
		if location, err = time.LoadLocation(zone); err != nil || zone == "Local" {
			return timetable{}, fmt.Errorf("cron %q: the time zone %q isn't known here", expr, zone)
		}
	}
	s, err := parser.Parse(trimmed)
	if err != nil {
		return timetable{}, fmt.Errorf("cron %q: %w", expr, err)
	}
	if s.Next(time.Unix(0, 0).In(location)).IsZero() {
		return timetable{}, fmt.Errorf("cron %q: %w", expr, ErrNever)
	}
	fields := strings.Fields(trimmed)
	return timetable{s, location, trimmed == "@hourly" || len(fields) == 5 && strings.Contains(fields[1], "*")}, nil
}

// next is the first time after one, in milliseconds. An hour that the clocks repeat
// has a time whose hour is fixed once.
func (p timetable) next(at int64) (int64, error) {
	from := time.UnixMilli(at).In(p.zone)
	t := p.schedule.Next(from)
	if !p.hourly && wall(t) == wall(from) {
		t = p.schedule.Next(t)
	}
	if t.IsZero() {
		return 0, ErrNever
	}
	return t.UnixMilli(), nil
}

// wall is what a clock shows, in minutes.
func wall(t time.Time) string { return t.Format("2006-01-02T15:04") }
