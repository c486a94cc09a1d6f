// Package turn decides who holds an object's turn. One holds it at a time; those
// who wait get it in the order in which they came, handed over directly, so that
// nobody overtakes the line.
package turn

// Line is one object's turn and those who wait for it. V is what the shell needs
// to wake a waiter. The zero value is a free turn with no line.
type Line[V any] struct {
	last   *Waiter[V] // of a ring: its next is the first in the line; nil: nobody waits
	grants uint32
	held   bool
}

// Waiter is a place in a line. It is in one line at a time, and free for the
// next use when it has left or was handed the turn.
type Waiter[V any] struct {
	// Value is the shell's.
	Value V
	// Returning marks who gave the turn up for a wait. Disband leaves it in the
	// line, since a yield always comes back with the turn.
	Returning bool

	next, prev *Waiter[V] // nil: not in a line
}

// Held reports whether somebody holds the turn.
func (l *Line[V]) Held() bool { return l.held }

// Grants counts how often the turn was given to somebody, and wraps around. Two
// equal counts with the turn held both times were one hold.
func (l *Line[V]) Grants() uint32 { return l.grants }

// Waiting reports whether somebody waits.
func (l *Line[V]) Waiting() bool { return l.last != nil }

// Take takes the turn where it is free. Otherwise the caller joins the line.
func (l *Line[V]) Take() bool {
	if l.held {
		return false
	}
	l.held = true
	l.grants++
	return true
}

// Join puts w at the end of the line. The turn must be held: it comes to w when
// those before it have passed it on.
func (l *Line[V]) Join(w *Waiter[V]) {
	if l.last == nil {
		w.next, w.prev = w, w
	} else {
		first := l.last.next
		w.next, w.prev = first, l.last
		l.last.next, first.prev = w, w
	}
	l.last = w
}

// Leave takes w out of the line. It is false where w isn't in the line any more:
// it was handed the turn, which it must pass on, or the line was disbanded.
func (l *Line[V]) Leave(w *Waiter[V]) bool {
	if w.next == nil {
		return false
	}
	switch {
	case w.next == w:
		l.last = nil
	case l.last == w:
		l.last = w.prev
	}
	w.prev.next, w.next.prev = w.next, w.prev
	w.next, w.prev = nil, nil
	return true
}

// Pass is the holder giving the turn up. It goes to the first in the line, who
// is returned to be woken, or else it is free.
func (l *Line[V]) Pass() (next *Waiter[V]) {
	if l.last == nil {
		l.held = false
		return nil
	}
	next = l.last.next
	l.Leave(next)
	l.grants++
	return next
}

// Disband sends everybody home who isn't returning, in the order of the line,
// because the object ends. Who returns still gets the turn.
func (l *Line[V]) Disband() (sent []*Waiter[V]) {
	if l.last == nil {
		return nil
	}
	for w, last := l.last.next, l.last; ; {
		next := w.next
		if !w.Returning {
			l.Leave(w)
			sent = append(sent, w)
		}
		if w == last {
			return sent
		}
		w = next
	}
}
