package directory

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// life is what the model knows of one value.
type life struct {
	rec       Record[life]
	id        string
	opening   bool // its Open runs
	opened    bool // its Open returned nil
	abandoned bool
	aborted   bool
	requests  int
	tasks     int
	looks     int
	probe     *time.Duration // pinned by Due, which asked for those idle since then
	idleSince time.Duration
	hook      bool // its Close hook runs
	closed    bool
	gone      bool
}

func (l *life) String() string { return fmt.Sprintf("%s %+v", l.id, *l) }

// world drives a directory as the shell does: it carries out every effect.
type world struct {
	dir      Directory[life]
	now      time.Duration
	all      []*life
	draining bool
}

func (w *world) alive(want func(*life) bool) (some []*life) {
	for _, l := range w.all {
		if !l.gone && want(l) {
			some = append(some, l)
		}
	}
	return some
}

// after carries out an effect, and checks that it was allowed.
func (w *world) after(t *rapid.T, l *life, effect Effect) {
	switch effect {
	case None:
		// Nothing that could go on is forgotten.
		quiet := l.requests == 0 && l.tasks == 0 && l.looks == 0 && l.probe == nil && !l.opening
		if !l.gone && quiet && !l.hook && (l.aborted || w.draining && l.opened || !l.opened) {
			t.Fatalf("nothing happens to %v any more", l)
		}
	case Close:
		if l.requests+l.tasks+l.looks > 0 || l.probe != nil || l.opening || !l.opened || l.hook || l.closed {
			t.Fatalf("Close of %v", l)
		}
		l.hook = true
	case Remove:
		if l.requests+l.tasks+l.looks > 0 || l.probe != nil || l.opening || l.hook || l.opened && !l.closed {
			t.Fatalf("removal of %v", l)
		}
		l.gone = true
	}
}

func draw(t *rapid.T, some []*life) *life {
	if len(some) == 0 {
		t.Skip()
	}
	return some[rapid.IntRange(0, len(some)-1).Draw(t, "who")]
}

// TestOneLiveValuePerID drives a directory with every event at every time that
// the shell may send it: no id has two lives, each life ends in the order of its
// steps, and none is lost.
func TestOneLiveValuePerID(t *testing.T) {
	ids := []string{"a", "b", "c"}
	rapid.Check(t, func(t *rapid.T) {
		w := &world{}
		t.Repeat(map[string]func(*rapid.T){
			"request": func(t *rapid.T) {
				id := rapid.SampledFrom(ids).Draw(t, "id")
				l, state := w.dir.Arrive(id)
				lives := w.alive(func(l *life) bool { return l.id == id })
				switch {
				case len(lives) == 0:
					if l != nil || state != Gone {
						t.Fatalf("%s has a value that ended: %v", id, l)
					}
					l = &life{id: id, opening: true}
					w.all = append(w.all, l)
					w.dir.Create(id, &l.rec, l)
				case l != lives[0]:
					t.Fatalf("%s is %v, not %v", id, l, lives[0])
				case state == Active:
					if !l.opened || l.aborted || l.hook || l.closed {
						t.Fatalf("%v serves", l)
					}
					l.requests++
				case l.opened && !l.aborted && !l.hook && !l.closed:
					t.Fatalf("%v refuses as %v", l, state)
				}
			},
			"open": func(t *rapid.T) {
				l := draw(t, w.alive(func(l *life) bool { return l.opening }))
				l.opening = false
				if rapid.Bool().Draw(t, "ok") {
					l.opened, l.idleSince = true, w.now
					if l.abandoned {
						l.aborted = true
					}
					w.after(t, l, w.dir.Activated(&l.rec, w.now))
					return
				}
				w.after(t, l, w.dir.Failed(&l.rec))
			},
			"depart": func(t *rapid.T) {
				l := draw(t, w.alive(func(l *life) bool { return l.requests > 0 }))
				l.requests--
				if l.requests+l.tasks == 0 {
					l.idleSince = w.now
				}
				w.after(t, l, w.dir.Depart(&l.rec, w.now))
			},
			"begin": func(t *rapid.T) {
				l := draw(t, w.all)
				ended := l.gone || l.closed || !l.opened && !l.opening
				if w.dir.Begin(&l.rec) == ended {
					t.Fatalf("work of %v", l)
				}
				if !ended {
					l.tasks++
				}
			},
			"end": func(t *rapid.T) {
				l := draw(t, w.alive(func(l *life) bool { return l.tasks > 0 }))
				l.tasks--
				if l.requests+l.tasks == 0 {
					l.idleSince = w.now
				}
				w.after(t, l, w.dir.End(&l.rec, w.now))
			},
			"look": func(t *rapid.T) {
				l := draw(t, w.all)
				if w.dir.Pin(&l.rec) {
					if !l.opened || l.aborted || l.hook || l.closed || l.gone {
						t.Fatalf("looked at %v", l)
					}
					l.looks++
				}
			},
			"looked": func(t *rapid.T) {
				l := draw(t, w.alive(func(l *life) bool { return l.looks > 0 }))
				l.looks--
				w.after(t, l, w.dir.Unpin(&l.rec))
			},
			"sweep": func(t *rapid.T) {
				before := w.now - 10
				could := w.alive(func(l *life) bool {
					return l.rec.State() == Active && l.requests+l.tasks+l.looks == 0 && l.probe == nil && l.idleSince <= before
				})
				n := rapid.IntRange(1, 3).Draw(t, "n")
				var due []*life
				for from, step := 0, 0; step == 0 || from > 0; step++ {
					var some []*life
					some, from = w.dir.Due(before, from, n)
					due = append(due, some...)
				}
				for _, l := range due {
					if !slices.Contains(could, l) {
						t.Fatalf("%v is due", l)
					}
					l.probe = &before
				}
				if len(due) != len(could) {
					t.Fatalf("%v are due, not %v", due, could)
				}
			},
			"probed": func(t *rapid.T) {
				l := draw(t, w.alive(func(l *life) bool { return l.probe != nil }))
				before := *l.probe
				l.probe = nil
				may := l.rec.State() == Active && l.requests+l.tasks == 0 && l.idleSince <= before
				if rapid.Bool().Draw(t, "stay") {
					l.idleSince = w.now
					w.after(t, l, w.dir.Stay(&l.rec, w.now))
					return
				}
				evicted, effect := w.dir.Evict(&l.rec, before, w.now)
				if evicted != may {
					t.Fatalf("eviction %v of %v", evicted, l)
				}
				if evicted {
					l.aborted = true // it ends, as far as the model goes
				} else {
					l.idleSince = w.now
				}
				w.after(t, l, effect)
			},
			"abort": func(t *rapid.T) {
				l := draw(t, w.all)
				state := l.rec.State()
				aborted, effect := w.dir.Abort(&l.rec)
				if aborted != (state == Activating || state == Active) {
					t.Fatalf("abort %v in %v", aborted, state)
				}
				if !aborted {
					return
				}
				if l.opening {
					l.abandoned = true
					return
				}
				l.aborted = true
				w.after(t, l, effect)
			},
			"closed": func(t *rapid.T) {
				l := draw(t, w.alive(func(l *life) bool { return l.hook }))
				l.hook, l.closed = false, true
				w.after(t, l, w.dir.Closed(&l.rec))
			},
			"drain": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
					t.Skip()
				}
				w.draining = true
				for _, l := range w.dir.Drain() {
					w.after(t, l, Close)
				}
			},
			"time": func(t *rapid.T) { w.now += time.Duration(rapid.IntRange(1, 20).Draw(t, "passes")) },
			"":     func(t *rapid.T) { w.check(t, ids) },
		})
		w.finish(t)
	})
}

// check compares what is always true.
func (w *world) check(t *rapid.T, ids []string) {
	lives := w.alive(func(*life) bool { return true })
	if len(lives) != w.dir.Len() || len(w.dir.All(nil)) != len(lives) {
		t.Fatalf("%d records, not %d", w.dir.Len(), len(lives))
	}
	for _, id := range ids {
		if of := w.alive(func(l *life) bool { return l.id == id }); len(of) > 1 {
			t.Fatalf("%s has %d lives: %v", id, len(of), of)
		}
	}
	inUse := w.alive(func(l *life) bool {
		return l.rec.State() != Active || l.requests+l.tasks > 0 || l.probe != nil
	})
	if busy := w.dir.Busy(nil); len(busy) != len(inUse) {
		t.Fatalf("%d are in use, not %v", len(busy), inUse)
	}
	for _, l := range lives {
		if l.rec.Requests() != l.requests || l.rec.Tasks() != l.tasks {
			t.Fatalf("%d requests and %d tasks of %v", l.rec.Requests(), l.rec.Tasks(), l)
		}
	}
}

// finish lets all work end and drains: then nothing is left.
func (w *world) finish(t *rapid.T) {
	w.draining = true
	for _, l := range w.dir.Drain() {
		w.after(t, l, Close)
	}
	for _, l := range w.alive(func(*life) bool { return true }) {
		for l.requests > 0 {
			l.requests--
			w.after(t, l, w.dir.Depart(&l.rec, w.now))
		}
		for l.tasks > 0 {
			l.tasks--
			w.after(t, l, w.dir.End(&l.rec, w.now))
		}
		for l.looks > 0 {
			l.looks--
			w.after(t, l, w.dir.Unpin(&l.rec))
		}
		if l.probe != nil {
			l.probe = nil
			w.after(t, l, w.dir.Stay(&l.rec, w.now))
		}
		if l.opening {
			l.opening, l.opened = false, true
			w.after(t, l, w.dir.Activated(&l.rec, w.now))
		}
		if l.hook {
			l.hook, l.closed = false, true
			w.after(t, l, w.dir.Closed(&l.rec))
		}
		if !l.gone {
			t.Fatalf("%v never ends", l)
		}
	}
}

func TestWhatWasUsedSinceItWasDueIsNotEvicted(t *testing.T) {
	var d Directory[life]
	l := &life{}
	d.Create("a", &l.rec, l)
	d.Activated(&l.rec, 0)
	if due, _ := d.Due(10, 0, 1); len(due) != 1 {
		t.Fatalf("%v is due", due)
	}
	d.Arrive("a")
	if evicted, _ := d.Evict(&l.rec, 10, 20); evicted || l.rec.State() != Active {
		t.Error("evicted with a request in flight")
	}
	if due, _ := d.Due(100, 0, 1); due != nil {
		t.Error("it is due with a request in flight")
	}
	d.Depart(&l.rec, 30)
	if due, _ := d.Due(30, 0, 1); len(due) != 1 {
		t.Fatalf("%v is due", due)
	}
	d.Arrive("a")
	d.Depart(&l.rec, 40)
	if evicted, _ := d.Evict(&l.rec, 30, 50); evicted {
		t.Error("evicted although it was used since")
	}
}
