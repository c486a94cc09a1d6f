package frontier

import (
	"slices"
	"time"
)

// What bounds batches and lanes (durability contract, section 3).
const (
	// MostInstances is how many instances share a statement at most.
	MostInstances = 64
	usualLanes    = 2
	mostLanes     = 8
	// slow is how long the statements of all lanes must have taken for one lane more.
	slow = 20 * time.Millisecond
)

// Lanes decide which instances are flushed together. I is an instance; it must say
// what batches it may share, and whether it is Ready again once its batch is settled.
// The zero Lanes have nothing to do.
type Lanes[I comparable] struct {
	waiting []I // ready, in the order in which they became so
	alone   []I // ready, to be sent alone
	busy    int // statements in flight
	last    time.Duration
}

// Ready notes an instance that has something to take and is in no batch. The caller
// asks for a lane then.
func (l *Lanes[I]) Ready(i I) { l.waiting = append(l.waiting, i) }

// Alone notes an instance whose batch has to be sent without others, and waiting for
// locks.
func (l *Lanes[I]) Alone(i I) { l.alone = append(l.alone, i) }

// Idle reports whether nothing waits.
func (l *Lanes[I]) Idle() bool { return len(l.waiting) == 0 && len(l.alone) == 0 }

// lanes is how many statements may be in flight: two, and more only while they are
// slow.
func (l *Lanes[I]) lanes() int {
	if l.last < slow {
		return usualLanes
	}
	return min(mostLanes, usualLanes+int(l.last/slow))
}

// Statement is what a lane sends.
type Statement[I comparable] struct {
	Instances []I
	// Alone has a single instance, whose locks are waited for. It counts for no lane,
	// since somebody else decides how long it takes.
	Alone bool
}

// Next is the next statement, or false where nothing waits or all lanes are busy.
// together reports whether two instances may share one.
func (l *Lanes[I]) Next(together func(a, b I) bool) (s Statement[I], ok bool) {
	if len(l.alone) > 0 {
		s = Statement[I]{Instances: []I{l.alone[0]}, Alone: true}
		l.alone = l.alone[1:]
		return s, true
	}
	if len(l.waiting) == 0 || l.busy >= l.lanes() {
		return s, false
	}
	first := l.waiting[0]
	rest := l.waiting[:0]
	for _, i := range l.waiting {
		if len(s.Instances) < MostInstances && (i == first || together(first, i)) {
			s.Instances = append(s.Instances, i)
		} else {
			rest = append(rest, i)
		}
	}
	clear(l.waiting[len(rest):])
	l.waiting = slices.Clip(rest)
	l.busy++
	return s, true
}

// Settled ends a statement that took so long.
func (l *Lanes[I]) Settled(s Statement[I], took time.Duration) {
	if s.Alone {
		return
	}
	l.busy--
	l.last = took
}
