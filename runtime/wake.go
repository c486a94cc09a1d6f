package runtime

import (
	"errors"
	"sync"
	"time"

	"github.com/pinned-go/pinned/durability"
)

// The waits of a worker in local mode.
const (
	firstWake   = time.Second // after an abort, doubling
	longestWake = time.Minute
	// leastPaging is the least time between two looks for alarms that are due.
	leastPaging = 100 * time.Millisecond
	// pageSize is how many rows are read at once, and wakers how many instances are
	// woken at once.
	pageSize = 256
	wakers   = 16
)

// waker activates instances that nobody asks for: those with marked trays at the start of
// the worker, those whose alarm is due, and those that were aborted in the middle of their
// work (durability contract, sections 5 and 6).
type waker struct {
	mu     sync.Mutex
	aborts map[durability.Key]abortCount
	next   time.Time // when the store is looked at; zero: not at all
	poke   chan struct{}
}

// abortCount is how often an instance was aborted in a row.
type abortCount struct {
	n  int
	at time.Time
}

// works reports whether a kind has what goes on without a request: trays or alarms.
func (k *kind) works() bool { return k.alarms != nil || k.keeps != nil && k.keeps.trays }

// wakeStored begins to wake what the store says. It is called once, at the start.
func (w *Worker) wakeStored() {
	store, ok := w.store.(durability.Sweepable)
	works := false
	for _, k := range *w.kinds.Load() {
		works = works || k.works()
	}
	if !ok || !works {
		return
	}
	w.waker.poke = make(chan struct{}, 1)
	w.work.Go(func() {
		w.wakeMarked(store)
		w.wakeDue(store)
	})
}

// wakeMarked activates what has marked rows.
func (w *Worker) wakeMarked(store durability.Sweepable) {
	slots := make(chan struct{}, wakers)
	var last durability.Key
	for after := (durability.Place{}); ; {
		rows, err := store.MarkedRows(w.drain, after, pageSize)
		if err != nil {
			if w.drain.Err() != nil {
				return
			}
			w.logger.Error("the marked rows can't be read", "error", clip(err.Error()))
			if !w.sleep(firstWake) {
				return
			}
			continue
		}
		for _, r := range rows {
			if r.Key != last {
				last = r.Key
				w.wakeIn(slots, r.Key)
			}
			after = r.Place
		}
		if len(rows) < pageSize {
			return
		}
	}
}

// wakeIn wakes an instance in a goroutine of one of the slots.
func (w *Worker) wakeIn(slots chan struct{}, key durability.Key) {
	k := w.kind(key.Namespace)
	if k == nil || !k.works() {
		return
	}
	select {
	case slots <- struct{}{}:
	case <-w.drain.Done():
		return
	}
	w.work.Go(func() {
		defer func() { <-slots }()
		w.wake(k, key.ID, 0)
	})
}

// wake activates an instance. Its trays and alarms do the rest.
func (w *Worker) wake(k *kind, id string, epoch int64) {
	in, err := k.activateAt(w.drain, id, epoch)
	if err == nil {
		in.done()
		return
	}
	var refused *refusal
	if w.drain.Err() == nil && (errors.As(err, &refused) || errors.As(err, new(*activationError))) {
		w.wakeAgain(k, id, epoch)
	}
}

// wakeDue activates, whenever they are due, those whose alarm is and that aren't
// resident: residents have the worker's own clock.
func (w *Worker) wakeDue(store durability.Sweepable) {
	slots := make(chan struct{}, wakers)
	for {
		next, err := w.pageDue(store, slots)
		switch {
		case w.drain.Err() != nil:
			return
		case err != nil:
			w.logger.Error("the alarms that are due can't be read", "error", clip(err.Error()))
			next = w.clock.Now().Add(firstWake)
		}
		if !w.sleep(leastPaging) || !w.awaitDue(next) {
			return
		}
	}
}

// pageDue wakes what is due, and tells when something is again; zero: never.
func (w *Worker) pageDue(store durability.Sweepable, slots chan struct{}) (next time.Time, err error) {
	now := w.clock.Now()
	for after := (durability.Due{}); ; {
		page, err := store.DueAlarms(w.drain, now.Add(100*365*24*time.Hour), after, pageSize)
		if err != nil {
			return time.Time{}, err
		}
		for _, d := range page {
			k := w.kind(d.Key.Namespace)
			switch {
			case k == nil || k.alarms == nil || k.resident(d.Key.ID):
			case d.At.After(now):
				return d.At, nil
			default:
				w.wakeIn(slots, d.Key)
			}
			after = d
		}
		if len(page) < pageSize {
			return time.Time{}, nil
		}
	}
}

// resident reports whether an id has an instance.
func (k *kind) resident(id string) bool {
	sh := k.shard(id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.dir.Find(id) != nil
}

// awaitDue waits until a time, or until an earlier one was told. It is false when the
// worker drains.
func (w *Worker) awaitDue(next time.Time) bool {
	w.waker.mu.Lock()
	w.waker.next = next
	w.waker.mu.Unlock()
	for {
		w.waker.mu.Lock()
		next = w.waker.next
		w.waker.mu.Unlock()
		var fired <-chan time.Time
		stop := func() {}
		if !next.IsZero() {
			fired, stop = w.clock.Timer(max(0, next.Sub(w.clock.Now())))
		}
		select {
		case <-fired:
			return true
		case <-w.waker.poke:
			stop()
		case <-w.drain.Done():
			stop()
			return false
		}
	}
}

// left tells the waker of an instance that isn't resident any more, whose next alarm is
// due at a time.
func (w *Worker) left(due time.Time) {
	w.waker.mu.Lock()
	defer w.waker.mu.Unlock()
	if w.waker.poke == nil || !w.waker.next.IsZero() && !due.Before(w.waker.next) {
		return
	}
	w.waker.next = due
	select {
	case w.waker.poke <- struct{}{}:
	default:
	}
}

// sleep waits for d. It is false when the worker drains.
func (w *Worker) sleep(d time.Duration) bool {
	fired, stop := w.clock.Timer(d)
	defer stop()
	select {
	case <-fired:
		return true
	case <-w.drain.Done():
		return false
	}
}

// wakeAgain activates an instance that was aborted once more: after 1 s, doubling to 60 s
// while it is aborted again and again.
func (w *Worker) wakeAgain(k *kind, id string, epoch int64) {
	if !k.works() || w.drain.Err() != nil {
		return
	}
	key := durability.Key{Namespace: k.namespace, ID: id}
	now := w.clock.Now()
	w.waker.mu.Lock()
	if w.waker.aborts == nil {
		w.waker.aborts = map[durability.Key]abortCount{}
	}
	for other, c := range w.waker.aborts {
		if now.Sub(c.at) > 2*longestWake {
			delete(w.waker.aborts, other) // it has lived on
		}
	}
	count := w.waker.aborts[key]
	delay := longestWake
	if count.n < 6 {
		delay = firstWake << count.n
	}
	w.waker.aborts[key] = abortCount{count.n + 1, now.Add(delay)}
	w.waker.mu.Unlock()
	w.clock.AfterFunc(delay, func() {
		w.spawn(func() { w.wake(k, id, epoch) })
	})
}

// ended is called when an instance isn't resident any more that keeps something: somebody
// else has its alarms from now on, and it is woken where an abort has left work, which
// again says.
func (d *durable) ended(again bool) {
	in := d.in
	w := in.w()
	if a := d.alarms; a != nil {
		w.ticks.await(w, a, time.Time{}, false)
		if next, ok := a.set.Next(); ok {
			w.left(next)
		}
	}
	if again {
		w.wakeAgain(in.shard.kind, in.ID(), in.epoch.Load())
	}
}

// wanted reports whether an instance that ends must be woken by this worker: an abort has
// left work, and nobody else has the instance.
func (d *durable) wanted() bool {
	e := d.in.ended.Load()
	if e == nil || e.normal || !d.in.shard.kind.works() || d.in.w().drain.Err() != nil || !d.works() {
		return false
	}
	if m := d.in.w().member; m != nil && m.gone(e) {
		return false
	}
	_, lost := errors.AsType[*durability.FenceLost](e.err)
	return !lost
}

// works reports whether an instance that isn't resident any more has left work.
func (d *durable) works() bool {
	for _, r := range d.rows {
		if r.Marked || r.Tray == durability.AlarmTray {
			return true
		}
	}
	for _, p := range d.parts {
		switch p := p.(type) {
		case *alarms:
			if p.set.Len() > 0 {
				return true
			}
		case *trays:
			for _, l := range p.open {
				if l.m.Marked() && !l.m.Parked() {
					return true
				}
			}
		}
	}
	return false
}
