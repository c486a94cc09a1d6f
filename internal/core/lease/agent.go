package lease

import "time"

// Call is what an Agent sends next.
type Call uint8

const (
	// Register registers the worker, with the session that it had before, if it had one.
	Register Call = iota
	// Heartbeat renews the session.
	Heartbeat
	// Nothing: the worker is superseded for good, or has left.
	Nothing
)

// The longest wait between two registrations, and the jitter of their backoff.
const (
	longestBackoff = 30 * time.Second
	leastJitter    = 0.3
)

// Agent is the worker's part in the registry: one call at a time, of which Next says
// which and when. The zero Agent registers at once.
type Agent struct {
	// Interval is the time between two heartbeats, counted from when they are sent.
	Interval time.Duration

	call     Call
	at       time.Duration
	session  string
	previous string // the session before, since a NACK
	failures int
}

// Next is the next call, and when it is to be sent.
func (a *Agent) Next() (call Call, at time.Duration) { return a.call, a.at }

// Session is the session that the worker has, or "" before its registration and between
// a NACK and the next.
func (a *Agent) Session() string { return a.session }

// Previous is the session that a registration names to prove that it is the same process:
// that of the NACK. "" for a first one.
func (a *Agent) Previous() string { return a.previous }

// Registered is the ack of a registration that was sent at a moment.
func (a *Agent) Registered(session string, sent time.Duration) {
	a.session, a.previous, a.failures = session, "", 0
	a.call, a.at = Heartbeat, sent+a.Interval
}

// RegisterFailed is a registration without an ack. retryAfter is what the answer asks
// for, 0 for nothing; chance is in [0, 1).
func (a *Agent) RegisterFailed(now, retryAfter time.Duration, chance float64) {
	base := a.Interval
	if retryAfter > 0 {
		base = min(retryAfter, longestBackoff)
	}
	wait := longestBackoff
	if a.failures < 10 && base<<a.failures < longestBackoff {
		wait = base << a.failures
	}
	a.failures++
	jitter := leastJitter + (1-leastJitter)*chance
	a.at = now + time.Duration(float64(wait)*jitter)
}

// Beat is a heartbeat that was sent at a moment, acked or failed.
func (a *Agent) Beat(sent time.Duration) { a.at = sent + a.Interval }

// Soon brings the next heartbeat forward.
func (a *Agent) Soon(now time.Duration) {
	if a.call == Heartbeat && a.at > now {
		a.at = now
	}
}

// Nacked is the answer that the session isn't known: the worker keeps its instances and
// registers at once.
func (a *Agent) Nacked(now time.Duration) {
	if a.session != "" {
		a.previous = a.session
	}
	a.session, a.failures = "", 0
	a.call, a.at = Register, now
}

// Left is the end: the worker is superseded, or has deregistered.
func (a *Agent) Left() { a.call, a.session = Nothing, "" }
