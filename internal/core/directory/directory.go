// Package directory decides which ids have a live value, and when it begins and
// ends. Of each id there is at most one record, and so at most one live value:
// a record that closes stays until its end, and only then can the id have
// another.
//
// What a step returns are facts for the shell to act on. Times are durations
// since any fixed moment, the same for all calls.
package directory

import "time"

// State is where a record is in its life.
type State uint8

const (
	// Activating: the value is being made and opened.
	Activating State = iota
	// Abandoned: the activation has failed, since it was aborted or took too long,
	// but the record stays until Open has returned.
	Abandoned
	// Active: requests are served.
	Active
	// Closing: nothing is served, and the record leaves when its work has ended
	// and Close has returned.
	Closing
	// Gone: the record isn't in the directory any more.
	Gone
)

// String names the state.
func (s State) String() string {
	return [...]string{"activating", "abandoned", "active", "closing", "gone"}[s]
}

// Effect is what the shell has to do after a step.
type Effect uint8

const (
	// None: nothing.
	None Effect = iota
	// Close: run the Close hook, then call Closed.
	Close
	// Remove: the record has left the directory. Who waits for its end may try
	// again.
	Remove
)

// Directory holds the records of one shard. V is the shell's value of a record.
// The zero value is empty.
type Directory[V any] struct {
	records  map[string]*Record[V]
	order    []*Record[V] // the same records, for walks that take several steps
	busy     *Record[V]   // the first of those that are more than idle; in no particular order
	draining bool
}

// Record is one id's place in a directory. The shell embeds it in its value, and
// reads what its methods return under the same lock as it calls the directory.
type Record[V any] struct {
	id         string
	value      *V
	next, prev *Record[V] // of the busy ones. Idle ones aren't linked, so that a request touches no other record
	idleSince  time.Duration
	index      int32 // in order
	requests   int32 // requests, streams and sockets in flight
	tasks      int32 // background work
	pins       int16 // looks at it that must not see it close: the Idle hook, statistics
	state      State
	busy       bool // among the busy ones
	probed     bool // pinned by Due
	closing    bool // the Close hook was told to run, or must not
	closed     bool // it has returned, or must not run
	leaving    bool // to close as soon as it is quiet
}

// ID is the id.
func (r *Record[V]) ID() string { return r.id }

// State is where the record is in its life.
func (r *Record[V]) State() State { return r.state }

// Requests counts the requests, streams and sockets in flight.
func (r *Record[V]) Requests() int { return int(r.requests) }

// Tasks counts the background work.
func (r *Record[V]) Tasks() int { return int(r.tasks) }

// IdleSince is when the last request or task ended. It means nothing while one
// is in flight.
func (r *Record[V]) IdleSince() time.Duration { return r.idleSince }

// quiet reports whether nothing keeps the value from being closed.
func (r *Record[V]) quiet() bool { return r.requests == 0 && r.tasks == 0 && r.pins == 0 }

// Len counts the records.
func (d *Directory[V]) Len() int { return len(d.records) }

// Find returns the value of an id, or nil.
func (d *Directory[V]) Find(id string) *V {
	r := d.records[id]
	if r == nil {
		return nil
	}
	return r.value
}

// Arrive is a request for an id. Where the value is Active, the request is
// counted until Depart. Otherwise the shell waits for what the state says, and
// arrives again; nil: the id has no record, and the shell may Create one.
func (d *Directory[V]) Arrive(id string) (*V, State) {
	r := d.records[id]
	if r == nil {
		return nil, Gone
	}
	if r.state == Active {
		r.requests++
		d.place(r)
	}
	return r.value, r.state
}

// Create makes the record of an id that has none. It begins as Activating.
func (d *Directory[V]) Create(id string, r *Record[V], value *V) {
	if d.records == nil {
		d.records = map[string]*Record[V]{}
	}
	*r = Record[V]{id: id, value: value, index: int32(len(d.order))} //nolint:gosec // far fewer than 2^31 fit into memory
	d.records[id] = r
	d.order = append(d.order, r)
	d.place(r)
}

// Activated is an Open that returned without an error, or the lack of one to
// run. Of an activation that was abandoned in the meantime the Close hook runs
// at once.
func (d *Directory[V]) Activated(r *Record[V], now time.Duration) Effect {
	r.idleSince = now
	if r.state == Activating {
		r.state = Active
	} else {
		r.state = Closing
	}
	return d.settle(r)
}

// Failed is an Open that returned an error or panicked. Close isn't run after
// it.
func (d *Directory[V]) Failed(r *Record[V]) Effect {
	r.state, r.closing, r.closed = Closing, true, true
	return d.settle(r)
}

// Depart ends a request that Arrive counted.
func (d *Directory[V]) Depart(r *Record[V], now time.Duration) Effect {
	r.requests--
	return d.left(r, now)
}

// Begin counts background work, until End. It is false where the value has come
// to its end and nothing may begin.
func (d *Directory[V]) Begin(r *Record[V]) bool {
	if r.state == Gone || r.state == Closing && r.closed {
		return false
	}
	r.tasks++
	d.place(r)
	return true
}

// End ends background work that Begin counted.
func (d *Directory[V]) End(r *Record[V], now time.Duration) Effect {
	r.tasks--
	return d.left(r, now)
}

// Pin keeps an active value from closing while the shell looks at it, without
// counting as a use of it. It is false where the value isn't active.
func (d *Directory[V]) Pin(r *Record[V]) bool {
	if r.state != Active {
		return false
	}
	r.pins++
	d.place(r)
	return true
}

// Unpin ends a Pin.
func (d *Directory[V]) Unpin(r *Record[V]) Effect {
	r.pins--
	return d.settle(r)
}

// Due looks at n records, from a place in the directory on, and pins those values
// that have been idle since before or at a moment. It returns where the next look
// begins, or 0 after the last record. What moves to an earlier place between two
// looks, as others leave, is found by the next walk. The shell asks each value
// whether it may be evicted, and answers with Evict or Stay.
func (d *Directory[V]) Due(before time.Duration, from, n int) (due []*V, next int) {
	end := min(from+n, len(d.order))
	for i := from; i < end; i++ {
		r := d.order[i]
		if r.busy || r.pins > 0 || r.idleSince > before {
			continue
		}
		due = append(due, r.value)
		r.pins++
		r.probed = true
		d.place(r)
	}
	if end >= len(d.order) {
		return due, 0
	}
	return due, end
}

// Evict closes a value that Due pinned, unless it is in use again or has been
// since.
func (d *Directory[V]) Evict(r *Record[V], before, now time.Duration) (evicted bool, effect Effect) {
	if r.state != Active || r.requests > 0 || r.tasks > 0 || r.idleSince > before {
		return false, d.Stay(r, now)
	}
	r.state = Closing
	r.probed = false
	return true, d.Unpin(r)
}

// Stay keeps a value that Due pinned for another idle time.
func (d *Directory[V]) Stay(r *Record[V], now time.Duration) Effect {
	r.idleSince = now
	r.probed = false
	return d.Unpin(r)
}

// Abort begins the end of a value, whatever it does. It is false where it has
// begun already. One that is activating closes when its Open has returned.
func (d *Directory[V]) Abort(r *Record[V]) (aborted bool, effect Effect) {
	switch r.state {
	case Activating:
		r.state = Abandoned
		return true, None
	case Active:
		r.state = Closing
		return true, d.settle(r)
	case Abandoned, Closing, Gone:
	}
	return false, None
}

// Closed is a Close hook that returned. The record leaves once the work that the
// hook itself began has ended.
func (d *Directory[V]) Closed(r *Record[V]) Effect {
	r.closed = true
	return d.settle(r)
}

// Drain closes every value as soon as it is quiet, from now on, and returns
// those whose Close hook has to run at once.
func (d *Directory[V]) Drain() (closing []*V) {
	d.draining = true
	for _, r := range d.order {
		if d.settle(r) == Close {
			closing = append(closing, r.value)
		}
	}
	return closing
}

// Leave has a value close as soon as it is quiet, or takes that back. What has begun to
// close isn't stopped.
func (d *Directory[V]) Leave(r *Record[V], on bool) Effect {
	r.leaving = on
	return d.settle(r)
}

// Busy appends the values that are more than idle to into: those in use, and
// those that begin or end.
func (d *Directory[V]) Busy(into []*V) []*V {
	for r := d.busy; r != nil; r = r.next {
		into = append(into, r.value)
	}
	return into
}

// All appends every value to into.
func (d *Directory[V]) All(into []*V) []*V {
	for _, r := range d.order {
		into = append(into, r.value)
	}
	return into
}

// left is the end of a request or a task.
func (d *Directory[V]) left(r *Record[V], now time.Duration) Effect {
	if r.requests == 0 && r.tasks == 0 {
		r.idleSince = now
	}
	return d.settle(r)
}

// settle moves a record on where it is quiet.
func (d *Directory[V]) settle(r *Record[V]) Effect {
	if r.state == Active && (d.draining || r.leaving) && r.quiet() {
		r.state = Closing
	}
	d.place(r)
	switch {
	case r.state != Closing || !r.quiet():
		return None
	case !r.closing:
		r.closing = true
		return Close
	case !r.closed:
		return None // the hook runs
	}
	r.state = Gone
	d.remove(r)
	return Remove
}

// remove forgets a record. The last in order takes its place there.
func (d *Directory[V]) remove(r *Record[V]) {
	delete(d.records, r.id)
	last := len(d.order) - 1
	moved := d.order[last]
	d.order[r.index], moved.index = moved, r.index
	d.order[last] = nil
	d.order = d.order[:last]
	d.unlink(r)
}

// place keeps a record among the busy ones while it is more than idle.
func (d *Directory[V]) place(r *Record[V]) {
	busy := r.state != Active || r.requests > 0 || r.tasks > 0 || r.probed
	switch {
	case busy == r.busy:
	case busy:
		r.busy, r.next = true, d.busy
		if d.busy != nil {
			d.busy.prev = r
		}
		d.busy = r
	default:
		d.unlink(r)
	}
}

// unlink takes a record from the busy ones.
func (d *Directory[V]) unlink(r *Record[V]) {
	if r.prev == nil {
		d.busy = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.busy, r.next, r.prev = false, nil, nil
}
