package choice

import (
	"slices"
	"time"
)

// Loops remembers ids whose activations fail again and again (pinboard contract, section
// 2): they are answered without being tried, for longer each time, until one attempt
// succeeds.
type Loops[K comparable] struct {
	ids map[K]*loop
}

type loop struct {
	failures []time.Duration // of the last minute; once it holds, of all attempts since
	until    time.Duration   // the id isn't tried before
	held     bool
	last     time.Duration
}

// The rule: so many failures within a time hold an id, first for a second and then doubling.
const (
	loopFailures = 5
	loopWindow   = time.Minute
	firstHold    = time.Second
	longestHold  = time.Minute
)

// Failed is a failed activation.
func (l *Loops[K]) Failed(id K, now time.Duration) {
	if l.ids == nil {
		l.ids = map[K]*loop{}
	}
	p := l.ids[id]
	if p == nil {
		p = &loop{}
		l.ids[id] = p
	}
	p.last = now
	if !p.held {
		p.failures = slices.DeleteFunc(p.failures, func(at time.Duration) bool { return now-at >= loopWindow })
	}
	p.failures = append(p.failures, now)
	if n := len(p.failures); n >= loopFailures {
		p.held = true
		hold := longestHold
		if extra := n - loopFailures; extra < 6 {
			hold = min(firstHold<<extra, longestHold)
		}
		p.until = now + hold
	}
	l.forget(now)
}

// Held is how long an id is to wait, and false where it may be tried.
func (l *Loops[K]) Held(id K, now time.Duration) (time.Duration, bool) {
	p := l.ids[id]
	if p == nil || !p.held || now >= p.until {
		return 0, false
	}
	return p.until - now, true
}

// Lift forgets an id: an attempt has succeeded, or an operator says so.
func (l *Loops[K]) Lift(id K) { delete(l.ids, id) }

// Len counts the ids that are remembered.
func (l *Loops[K]) Len() int { return len(l.ids) }

// mostLoops bounds what is remembered. At the bound, what has had no failure for a while
// goes, and of the rest any, down to three quarters.
const mostLoops = 10_000

func (l *Loops[K]) forget(now time.Duration) {
	if len(l.ids) < mostLoops {
		return
	}
	for id, p := range l.ids {
		if now-p.last >= loopWindow {
			delete(l.ids, id)
		}
	}
	for id := range l.ids {
		if len(l.ids) <= mostLoops*3/4 {
			return
		}
		delete(l.ids, id)
	}
}
