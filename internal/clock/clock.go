// Package clock is the seam for time: what waits or asks for the time takes a
// Clock, so that a test or a simulator decides what time it is. Under
// testing/synctest the System clock is the bubble's.
package clock

import "time"

// Clock tells the time and waits for it. It is safe for concurrent use.
type Clock interface {
	// Now is the time, with a monotonic reading where the clock has one.
	Now() time.Time
	// Since is the time that has passed since an earlier Now.
	Since(t time.Time) time.Duration
	// Timer sends the time once on its channel, after d. Stop lets go of it
	// early.
	Timer(d time.Duration) (fired <-chan time.Time, stop func())
	// AfterFunc runs f in a goroutine of its own after d, unless stop comes
	// first: it reports whether it did.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// System is the machine's clock.
var System Clock = system{}

type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) Since(t time.Time) time.Duration { return time.Since(t) }

func (system) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

func (system) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}
