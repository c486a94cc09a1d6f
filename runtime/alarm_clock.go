package runtime

import (
	"container/heap"
	"sync"
	"time"
)

// alarmClock rings for the resident instances of a worker whose next alarm is due: one
// timer for all of them.
type alarmClock struct {
	mu    sync.Mutex
	ticks ticks
	stop  func() bool // of the timer; nil: none is armed
	armed time.Time
}

// tick is when an instance is to be told.
type tick struct {
	due   time.Time
	index int // in the heap, from 1; 0: not in there
}

// await has the clock ring at a time, and forget an earlier wish. Without one (ok is
// false), or where the worker drains, it only forgets.
func (c *alarmClock) await(w *Worker, a *alarms, due time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok = ok && w.drain.Err() == nil
	switch {
	case !ok && a.tick.index > 0:
		heap.Remove(&c.ticks, a.tick.index-1)
	case !ok:
	case a.tick.index > 0:
		a.tick.due = due
		heap.Fix(&c.ticks, a.tick.index-1)
	default:
		a.tick.due = due
		heap.Push(&c.ticks, a)
	}
	c.arm(w)
}

// arm sets the timer to the first. mu must be held.
func (c *alarmClock) arm(w *Worker) {
	if len(c.ticks) == 0 {
		if c.stop != nil {
			c.stop()
			c.stop = nil
		}
		return
	}
	first := c.ticks[0].tick.due
	if c.stop != nil && c.armed.Equal(first) {
		return
	}
	if c.stop != nil {
		c.stop()
	}
	c.armed = first
	c.stop = w.clock.AfterFunc(max(0, first.Sub(w.clock.Now())), func() { c.ring(w) })
}

// ring tells those that are due.
func (c *alarmClock) ring(w *Worker) {
	c.mu.Lock()
	c.stop = nil
	var due []*alarms
	for now := w.clock.Now(); len(c.ticks) > 0 && !c.ticks[0].tick.due.After(now); {
		a, _ := heap.Pop(&c.ticks).(*alarms)
		due = append(due, a)
	}
	c.arm(w)
	c.mu.Unlock()
	for _, a := range due {
		a.ring()
	}
}

// silence stops the clock: the worker drains.
func (c *alarmClock) silence() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.ticks {
		a.tick.index = 0
	}
	c.ticks = nil
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
}

// ticks are a heap by the time.
type ticks []*alarms

// Len implements heap.Interface.
func (t *ticks) Len() int { return len(*t) }

// Less implements heap.Interface.
func (t *ticks) Less(i, j int) bool { return (*t)[i].tick.due.Before((*t)[j].tick.due) }

// Swap implements heap.Interface.
func (t *ticks) Swap(i, j int) {
	s := *t
	s[i], s[j] = s[j], s[i]
	s[i].tick.index, s[j].tick.index = i+1, j+1
}

// Push implements heap.Interface.
func (t *ticks) Push(x any) {
	a, _ := x.(*alarms)
	*t = append(*t, a)
	a.tick.index = len(*t)
}

// Pop implements heap.Interface.
func (t *ticks) Pop() any {
	last := len(*t) - 1
	a := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	a.tick.index = 0
	return a
}
