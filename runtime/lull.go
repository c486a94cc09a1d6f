package runtime

import (
	"sync"
	"time"

	"github.com/pinned-go/pinned/internal/clock"
)

// lullTime is the least and half the most that a lull lasts.
const lullTime = 20 * time.Millisecond

// lulls holds back the reads with which net/http learns, behind every handler,
// that the client has left. Most handlers are over before such a read has told
// anything; and it costs more than they do, since it finds nothing, waits, and is
// stopped by a deadline in the past. A handler that lasts has its read.
type lulls struct {
	clock clock.Clock

	mu          sync.Mutex
	first, last *lull
	tick        uint
	ticking     bool
}

// lull is one read that is held back.
type lull struct {
	next, prev *lull
	tick       uint
	listed     bool
	ended      chan bool // true: the read may begin
}

// begin holds a read back, until ended is given a value.
func (ls *lulls) begin(l *lull) {
	if l.ended == nil {
		l.ended = make(chan bool, 1)
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.tick, l.listed = ls.tick, true
	l.next, l.prev = nil, ls.last
	if ls.last == nil {
		ls.first = l
	} else {
		ls.last.next = l
	}
	ls.last = l
	if !ls.ticking {
		ls.ticking = true
		ls.clock.AfterFunc(lullTime, ls.step)
	}
}

// end ends a lull, if it isn't over.
func (ls *lulls) end(l *lull, read bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l.listed {
		ls.remove(l)
		l.ended <- read
	}
}

func (ls *lulls) remove(l *lull) {
	l.listed = false
	if l.prev == nil {
		ls.first = l.next
	} else {
		l.prev.next = l.next
	}
	if l.next == nil {
		ls.last = l.prev
	} else {
		l.next.prev = l.prev
	}
	l.next, l.prev = nil, nil
}

// step ends what has lasted for a whole tick, and goes on as long as there is any.
func (ls *lulls) step() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for ls.first != nil && ls.first.tick != ls.tick {
		l := ls.first
		ls.remove(l)
		l.ended <- true
	}
	ls.tick++
	ls.ticking = ls.first != nil
	if ls.ticking {
		ls.clock.AfterFunc(lullTime, ls.step)
	}
}
