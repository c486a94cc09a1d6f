// Package lease is a worker's side of its session with a pinboard: how long it may
// serve, and when it registers and heartbeats (wire contract, sections 2 and 9). Its
// steps are pure: times come in, as durations since any fixed moment that is the same
// for all calls, and so does chance.
package lease

import "time"

// State is what a lease allows.
type State uint8

const (
	// None: the worker never had a lease.
	None State = iota
	// Healthy: new instances may activate.
	Healthy
	// Unhealthy: what is resident goes on, and nothing activates.
	Unhealthy
	// Expired: nothing is served.
	Expired
)

// String names the state.
func (s State) String() string { return [...]string{"none", "healthy", "unhealthy", "expired"}[s] }

// Lease is how long the worker may serve.
type Lease struct {
	// Buffer is how long before its end the lease counts as unhealthy.
	Buffer time.Duration

	until   time.Duration
	granted bool
	cap     time.Duration // of a drain's deadline
	capped  bool
}

// Grant is an ack to what was sent at a moment: the lease ends ttl after that. An ack
// that is late, or overtaken, never takes back what an earlier one has granted.
func (l *Lease) Grant(sent, ttl time.Duration) {
	if end := sent + ttl; !l.granted || end > l.until {
		l.until, l.granted = end, true
	}
}

// Until is the end of the lease. It is false where there never was one.
func (l *Lease) Until() (time.Duration, bool) {
	if l.granted && l.capped && l.cap < l.until {
		return l.cap, true
	}
	return l.until, l.granted
}

// Cap ends the lease at the deadline of a drain, whatever is granted, until Uncap.
func (l *Lease) Cap(at time.Duration) { l.cap, l.capped = at, true }

// Uncap lifts a Cap.
func (l *Lease) Uncap() { l.capped = false }

// At is what the lease allows at a moment.
func (l *Lease) At(now time.Duration) State {
	until, ok := l.Until()
	switch {
	case !ok:
		return None
	case now >= until:
		return Expired
	case now >= until-l.Buffer:
		return Unhealthy
	}
	return Healthy
}
