package runtime

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// lazyDeadline keeps the read deadline of a connection without moving the
// runtime's timer at each change. net/http changes it four times a request: for
// the idle time, for the head, and away again after each. What is armed may be
// earlier than what is wanted, never later: a read that times out too early goes
// on.
type lazyDeadline struct {
	lulls *lulls // nil: no read is held back
	lull  lull

	mu      sync.Mutex
	wanted  time.Time // zero: none
	armed   time.Time // zero: none
	past    bool      // armed is over, so that a read that waits returns
	reading bool
}

// earlyTimeout is the deadline that is armed where none is wanted: net/http
// wants one of the idle time next, which is no earlier.
const earlyTimeout = idleConnTimeout / 2

// set is SetReadDeadline. Where no read waits, the next one sees to it.
func (d *lazyDeadline) set(conn net.Conn, t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.lulls != nil && longOver(t) {
		d.lulls.end(&d.lull, false)
	}
	switch {
	case t.IsZero() && d.past:
		return d.arm(conn, time.Now().Add(earlyTimeout))
	case d.reading && d.late():
		return d.arm(conn, t)
	}
	return nil
}

// hold holds a read back for a lull. It is false where the deadline has ended it.
func (d *lazyDeadline) hold() bool {
	if d.lulls == nil {
		return true
	}
	d.mu.Lock()
	if longOver(d.wanted) {
		d.mu.Unlock()
		return false
	}
	d.lulls.begin(&d.lull)
	d.mu.Unlock()
	return <-d.lull.ended
}

// release lets a read begin that is held back.
func (d *lazyDeadline) release() {
	if d.lulls != nil {
		d.lulls.end(&d.lull, true)
	}
}

// longOver reports whether a deadline has long passed, as the one has with which
// net/http ends a read at once. It doesn't ask what time it is.
func longOver(t time.Time) bool { return !t.IsZero() && t.Before(longAgo) }

var longAgo = time.Unix(1<<20, 0)

// over reports whether a deadline has passed.
func over(t time.Time) bool { return !t.IsZero() && time.Until(t) <= 0 }

// begin is the beginning of a read, which nothing but its deadline may end.
func (d *lazyDeadline) begin(conn net.Conn) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = true
	if d.late() {
		return d.arm(conn, d.wanted)
	}
	return nil
}

// again is the end of a read with err. It reports whether the read timed out too
// early, and must go on.
func (d *lazyDeadline) again(conn net.Conn, err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = false
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	next := d.wanted
	if next.IsZero() {
		next = time.Now().Add(earlyTimeout)
	}
	return time.Until(next) > 0 && d.arm(conn, next) == nil
}

// late reports whether what is armed doesn't do for what is wanted: it comes
// after it, or is over.
func (d *lazyDeadline) late() bool {
	return !d.wanted.IsZero() && (d.past || d.armed.IsZero() || d.wanted.Before(d.armed))
}

func (d *lazyDeadline) arm(conn net.Conn, t time.Time) error {
	d.armed, d.past = t, over(t)
	return conn.SetReadDeadline(t)
}

// settle arms what is wanted, for who reads the connection itself from now on.
func (d *lazyDeadline) settle(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.arm(conn, d.wanted) // a connection that is gone says so to its reader
}
