package frontier

import (
	"cmp"
	"slices"

	"github.com/pinned-go/pinned/internal/fault"
)

// Log is the ordered log of one instance's durable effects. R names a row, D is what
// is written to it, and W what a shell needs to wake a waiter. Positions grow by one
// with each write; the first is 1. The zero Log is empty.
type Log[R comparable, D, W any] struct {
	position int64 // of the last write
	sealed   int64 // up to here the segments are whole
	taken    int64 // up to here it is in a batch, or was
	durable  int64

	writes  []Write[R, D] // those after taken, in order
	flying  bool
	failed  error
	waiters []waiter[W]
}

// Write is one write of the log.
type Write[R comparable, D any] struct {
	Position int64
	Row      R
	Data     D
	// Alone marks what isn't the state of a row, and so is never collapsed with
	// another write.
	Alone bool
}

type waiter[W any] struct {
	position int64
	value    W
}

// Enlist adds a write of a row, whole, to the open segment.
func (l *Log[R, D, W]) Enlist(row R, data D) (position int64) {
	return l.enlist(Write[R, D]{Row: row, Data: data})
}

// EnlistAlone adds a write that isn't collapsed with any other.
func (l *Log[R, D, W]) EnlistAlone(data D) (position int64) {
	return l.enlist(Write[R, D]{Data: data, Alone: true})
}

func (l *Log[R, D, W]) enlist(w Write[R, D]) int64 {
	l.position++
	w.Position = l.position
	l.writes = append(l.writes, w)
	return l.position
}

// Seal ends the open segment, and reports whether there was anything in it: what a
// turn writes between two yields is one unit.
func (l *Log[R, D, W]) Seal() bool {
	had := l.sealed < l.position
	l.sealed = l.position
	return had
}

// Discard drops the open segment, because of a panic. Its positions are never used
// again, and nobody may wait for them.
func (l *Log[R, D, W]) Discard() {
	n := len(l.writes)
	for n > 0 && l.writes[n-1].Position > l.sealed {
		n--
	}
	clear(l.writes[n:])
	l.writes = l.writes[:n]
	l.sealed = l.position
}

// Ready reports whether there is something to take.
func (l *Log[R, D, W]) Ready() bool {
	return !l.flying && l.failed == nil && len(l.writes) > 0 && l.writes[0].Position <= l.sealed
}

// Take takes everything sealed as one batch, which flies until Settle. A log that isn't
// Ready has none. For a store that applies it whole, each row is collapsed to its last
// state, at the position of that last write. For one that applies it one by one, order
// is all there is: only writes of a row that follow each other are collapsed, since the
// others would overtake what was written after them.
func (l *Log[R, D, W]) Take(whole bool) []Write[R, D] {
	if !l.Ready() {
		return nil
	}
	n, found := slices.BinarySearchFunc(l.writes, l.sealed, func(w Write[R, D], sealed int64) int {
		return cmp.Compare(w.Position, sealed)
	})
	if found {
		n++
	}
	if fault.Is(fault.SegmentSplit) && n > 1 {
		n--
	}
	batch := l.writes[:n:n]
	if whole {
		batch = collapse(batch)
	} else {
		batch = compact(batch)
	}
	rest := l.writes[n:]
	if len(rest) == 0 {
		l.writes = nil
	} else {
		l.writes = slices.Clone(rest)
	}
	l.taken, l.flying = l.sealed, true
	if fault.Is(fault.AckBeforeCommit) {
		l.durable = l.taken
	}
	return batch
}

// compact leaves the last of the writes of one row that follow each other.
func compact[R comparable, D any](writes []Write[R, D]) []Write[R, D] {
	kept := make([]Write[R, D], 0, len(writes))
	for _, w := range writes {
		if n := len(kept); n > 0 && !w.Alone && !kept[n-1].Alone && kept[n-1].Row == w.Row {
			kept[n-1] = w
		} else {
			kept = append(kept, w)
		}
	}
	return kept
}

// few is up to how many writes a batch is searched without a map.
const few = 8

// collapse leaves the last write of each row.
func collapse[R comparable, D any](writes []Write[R, D]) (kept []Write[R, D]) {
	if len(writes) == 1 {
		return writes
	}
	var seen map[R]struct{}
	if len(writes) > few {
		seen = make(map[R]struct{}, len(writes))
	}
	kept = make([]Write[R, D], 0, min(len(writes), few))
	if fault.Is(fault.FirstWriteWins) {
		writes = slices.Clone(writes)
		slices.Reverse(writes)
		defer func() { slices.Reverse(kept) }()
	}
	for _, w := range slices.Backward(writes) {
		if !w.Alone {
			if seen == nil {
				if slices.ContainsFunc(kept, func(k Write[R, D]) bool { return !k.Alone && k.Row == w.Row }) {
					continue
				}
			} else {
				if _, ok := seen[w.Row]; ok {
					continue
				}
				seen[w.Row] = struct{}{}
			}
		}
		kept = append(kept, w)
	}
	slices.Reverse(kept)
	return kept
}

// Settle ends the flight. With nil all of it is durable; with an error the log is
// poisoned for good: what isn't durable never will be. It returns who waits no longer.
func (l *Log[R, D, W]) Settle(err error) (woken []W) {
	l.flying = false
	if err != nil {
		return l.Fail(err)
	}
	l.durable = l.taken
	if len(l.writes) == 0 {
		l.durable = l.sealed // what follows was discarded
	}
	return l.wake(l.durable)
}

// Fail poisons the log, if it isn't yet, and returns who waits no longer.
func (l *Log[R, D, W]) Fail(err error) (woken []W) {
	if l.failed == nil {
		l.failed = err
		l.writes = nil
	}
	return l.wake(l.position)
}

// wake removes the waiters for positions up to one. They are kept in order.
func (l *Log[R, D, W]) wake(position int64) (woken []W) {
	n := 0
	for n < len(l.waiters) && l.waiters[n].position <= position {
		woken = append(woken, l.waiters[n].value)
		n++
	}
	if n == len(l.waiters) {
		l.waiters = nil
	} else {
		l.waiters = slices.Clone(l.waiters[n:])
	}
	return woken
}

// Await adds a waiter for a position. It is false, and adds none, where there is
// nothing to wait for: it is durable, or the log is poisoned.
func (l *Log[R, D, W]) Await(position int64, value W) bool {
	if l.durable >= position || l.failed != nil {
		return false
	}
	n := len(l.waiters)
	for n > 0 && l.waiters[n-1].position > position {
		n-- // most come in order
	}
	l.waiters = slices.Insert(l.waiters, n, waiter[W]{position, value})
	return true
}

// Position is that of the last write, Sealed that of the last whole segment, and
// Durable up to where everything is.
func (l *Log[R, D, W]) Position() int64 { return l.position }

// Sealed is the last position of a whole segment.
func (l *Log[R, D, W]) Sealed() int64 { return l.sealed }

// Durable is up to which position everything is durable.
func (l *Log[R, D, W]) Durable() int64 { return l.durable }

// Flying reports whether a batch is in flight.
func (l *Log[R, D, W]) Flying() bool { return l.flying }

// Failed is why the log is poisoned, or nil.
func (l *Log[R, D, W]) Failed() error { return l.failed }
