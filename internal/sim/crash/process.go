package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/alarm"
	"github.com/pinned-go/pinned/internal/core/document"
	"github.com/pinned-go/pinned/internal/core/frontier"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// process is one life of the instance, from its activation to its crash.
type process struct {
	w     *world
	epoch int64
	log   frontier.Log[durability.Tray, write, struct{}]

	object *row
	trays  map[durability.Tray]*openTray
	last   map[durability.Tray]write // what was enlisted, durable or not
	alarms *alarm.Alarms
	ringer bool // the task that runs alarms is there

	tasks  []*task
	flying *flight
	failed error
}

// write is what a write of the log becomes an operation of.
type write struct {
	marked bool
	doc    []byte // nil: the row goes
}

// task is a script that runs in turns: what it does between two yields is one segment.
// It yields the position that must be durable before it goes on.
type task struct {
	name string
	next func() (until int64, ok bool)
	stop func()
	wait int64
	at   time.Time // not before
}

// script is the code of a task. A yield that returns false ends it: the process has
// crashed.
type script = func(yield func(int64) bool)

func (p *process) spawn(name string, f script) {
	next, stop := iter.Pull(iter.Seq[int64](f))
	p.tasks = append(p.tasks, &task{name: name, next: next, stop: stop})
}

// row is a row with its document.
type row struct {
	doc    *document.Row
	marked bool
}

// enlist writes a row, whole.
func (p *process) enlist(name durability.Tray, r *row) {
	p.write(name, write{r.marked, r.doc.Snapshot().AppendDoc(nil)})
}

func (p *process) write(name durability.Tray, w write) {
	p.log.Enlist(name, w)
	p.last[name] = w
}

// set sets an entry to what v encodes to.
func (r *row) set(name string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	r.doc.Set(name, document.Raw(raw))
}

// get reads an entry into v, if it is there. Entries of this package are always raw.
func (r *row) get(name string, v any) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(r.doc.Snapshot().AppendDoc(nil), &all); err != nil {
		panic(err)
	}
	if raw, ok := all[name]; ok {
		if err := json.Unmarshal(raw, v); err != nil {
			panic(err)
		}
	}
}

// activate reads the rows, opens what is always open or marked, and starts its work.
func (w *world) activate(epoch int64) *process {
	p := &process{w: w, epoch: epoch, trays: map[durability.Tray]*openTray{}, last: map[durability.Tray]write{}}
	entries := w.list(p, durability.Filter{Namespaces: []string{"pinned", "work", "relay", "sink"}, OrMarked: true})
	p.object = &row{doc: &document.Row{}}
	p.alarms = &alarm.Alarms{}
	var open []durability.Entry
	for _, e := range entries {
		switch e.Tray {
		case objectRow:
			p.object = &row{doc: decoded(e.Doc)}
		case durability.AlarmTray:
			alarms, err := alarm.Parse(e.Doc)
			if err != nil {
				w.failf("alarms: %v", err)
			}
			p.alarms = alarms
		default:
			open = append(open, e)
		}
	}
	for _, name := range []string{"work", "relay", "sink"} {
		if !slices.ContainsFunc(open, func(e durability.Entry) bool { return e.Tray.Namespace == name }) {
			p.open(durability.Tray{Namespace: name, ID: "~"}, nil)
		}
	}
	for _, e := range open {
		p.open(e.Tray, &e)
	}
	p.log.Seal()
	p.ring()
	return p
}

func decoded(doc []byte) *document.Row {
	r, err := document.Decode(doc)
	if err != nil {
		panic(err)
	}
	return r
}

// flight is a batch on its way to the store.
type flight struct {
	writes []frontier.Write[durability.Tray, write]
	sent   int
}

// flush takes the next step of a flight: a batch, or on a store that has none, one
// operation of it.
func (p *process) flush() {
	if p.flying == nil {
		p.flying = &flight{writes: p.log.Take(!p.w.Single)}
	}
	f := p.flying
	var err error
	if p.w.Single {
		err = p.w.apply(p, f.writes[f.sent:f.sent+1])
		f.sent++
	} else {
		err = p.w.apply(p, f.writes)
		f.sent = len(f.writes)
	}
	if err != nil || f.sent == len(f.writes) {
		p.flying = nil
		p.log.Settle(err)
		p.failed = err
	}
}

// runnable are the tasks that can go on.
func (p *process) runnable() []*task {
	var can []*task
	for _, t := range p.tasks {
		if t.wait <= p.log.Durable() && !p.w.now.Before(t.at) {
			can = append(can, t)
		}
	}
	return can
}

// step runs a task to its next yield, which ends its segment.
func (p *process) step(t *task) {
	until, ok := t.next()
	p.log.Seal()
	t.wait, t.at = until, p.w.now
	if !ok {
		p.tasks = slices.DeleteFunc(p.tasks, func(o *task) bool { return o == t })
		return
	}
	if d := p.w.sleep; d > 0 {
		t.at, p.w.sleep = p.w.now.Add(d), 0
	}
}

// crash leaves everything where it stands.
func (p *process) crash() {
	for _, t := range p.tasks {
		t.stop()
	}
	p.tasks = nil
}

// openTray is an open tray.
type openTray struct {
	p    *process
	name durability.Tray
	row
	*tray.Machine

	queue, feed, steer tray.Queue[item]
	freed              bool
}

// item is what is queued.
type item struct {
	N    int    `json:"n"`
	Tail bool   `json:"tail,omitempty"`
	Key  string `json:"key,omitempty"`
}

func decodeItem(raw []byte) (v item, err error) {
	err = json.Unmarshal(raw, &v)
	return v, err
}

func encodeItem(v item) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// attempts is how often an item of the workload is delivered.
const attempts = 4

// open opens a tray from its row, or a new one, and starts the pump of what is marked.
func (p *process) open(name durability.Tray, e *durability.Entry) *openTray {
	t := &openTray{p: p, name: name, row: row{doc: &document.Row{}}}
	if e != nil {
		t.doc, t.marked = decoded(e.Doc), e.Marked
	}
	residue := false
	for entry, q := range t.queues() {
		raw, _ := t.doc.Claim(entry)
		var rewrite bool
		var err error
		if *q, rewrite, err = tray.ParseQueue(raw, decodeItem); err != nil {
			p.w.failf("%s: %s: %v", name, entry, err)
		}
		if rewrite {
			residue = true
		}
	}
	m, err := tray.Open(tray.Config{Attempts: attempts, Open: name.ID == "~", Keyed: name.ID != "~"}, t.marked, residue,
		func(entry string) []byte { raw, _ := t.doc.Claim(entry); return raw })
	if err != nil {
		p.w.failf("%s: %v", name, err)
	}
	t.Machine = m
	p.trays[name] = t
	if residue || e == nil {
		t.save()
	}
	if (t.marked || name.ID == "~") && m.Start(false) {
		p.pump(t)
	}
	return t
}

func (t *openTray) queues() iter.Seq2[string, *tray.Queue[item]] {
	return func(yield func(string, *tray.Queue[item]) bool) {
		_ = yield("queue", &t.queue) && yield("feed", &t.feed) && yield("steer", &t.steer)
	}
}

// save enlists the row as the machine and the queues are now.
func (t *openTray) save() {
	t.Changes(func(name string, raw []byte) {
		if raw == nil {
			t.doc.Set(name, nil)
		} else {
			t.doc.Set(name, document.Raw(raw))
		}
	})
	for entry, q := range t.queues() {
		if e := q.Snapshot(); e != nil {
			t.doc.Set(entry, e)
		} else {
			t.doc.Set(entry, nil)
		}
	}
	t.marked = t.Marked()
	t.p.enlist(t.name, &t.row)
}

// get is the tray of a name, opened from its row where it isn't.
func (p *process) get(name durability.Tray, create bool) *openTray {
	if t := p.trays[name]; t != nil && t.Retired() == tray.Live {
		return t
	}
	stored, ok := p.w.get(p, name)
	switch {
	case ok:
		return p.open(name, &durability.Entry{Tray: name, Row: stored})
	case create:
		return p.open(name, nil)
	}
	return nil
}

// pump runs a tray's work, as the worker's does.
func (p *process) pump(t *openTray) {
	p.spawn("pump "+t.name.String(), func(yield func(int64) bool) {
		for {
			switch t.Next(false) {
			case tray.Quit:
				t.save()
				return
			case tray.Ask:
				if !t.Fresh() {
					t.queue.Pop()
				}
				t.Asked(t.queue.Len() > 0)
			case tray.Deliver:
				d := t.Begin(p.w.now)
				it := t.queue.Items()[0].Value
				t.save()
				if !yield(p.log.Position()) { // the count is durable before the handler runs
					return
				}
				result, ok := p.w.handle(p, t, it, d, yield)
				if !ok {
					return
				}
				taken := false
				if result != tray.Done {
					for _, q := range t.queues() {
						taken = len(q.Taken()) > 0 || taken
						q.Untake(len(q.Taken()))
					}
				}
				p.w.sleep = t.Handled(result, 0, 0, taken)
			case tray.Release:
				rec := t.Releasing()
				if to := p.get(durability.Tray(rec.Target), false); to != nil {
					to.Forget(rec.Key)
					to.save()
				}
				t.Released()
			case tray.Commit:
				for _, q := range t.queues() {
					q.Commit()
				}
				t.Committed()
				continue // the acknowledgement is one segment with what it resumes
			case tray.Wait:
				t.save()
				if !yield(0) {
					return
				}
				t.Waited()
			case tray.Close:
				t.save()
				delete(p.trays, t.name)
				return
			case tray.Delete:
				p.write(t.name, write{})
				if !yield(p.log.Position()) {
					return
				}
				t.freed = true
				delete(p.trays, t.name)
				return
			case tray.Break:
				p.w.failf("%s: unknown command %s", t.name, t.Command())
			}
			t.save()
		}
	})
}

// admit appends to a tray's queue as an inbox does, with what belongs to it.
func (t *openTray) admit(it item, under *tray.Admission) {
	start, err := t.Kick(false)
	if err != nil {
		t.p.w.failf("%s: %v", t.name, err)
	}
	appendTo := func(q *tray.Queue[item], v item) {
		if _, err := q.Append(encodeItem(v), v, under); err != nil {
			t.p.w.failf("%s: %v", t.name, err)
		}
		t.save()
	}
	appendTo(&t.queue, it)
	if t.name.Namespace == "work" || t.name.Namespace == "kwork" {
		appendTo(&t.feed, item{N: it.N})
		appendTo(&t.steer, item{N: it.N})
		appendTo(&t.steer, item{N: it.N, Tail: true})
	}
	if start {
		t.p.pump(t)
	}
}

// ring has a task that runs alarms when they are due.
func (p *process) ring() {
	if p.ringer || p.alarms.Len() == 0 {
		return
	}
	p.ringer = true
	p.spawn("alarms", func(yield func(int64) bool) {
		defer func() { p.ringer = false }()
		for {
			f, ok, _ := p.alarms.Start(p.w.now)
			if !ok {
				next, there := p.alarms.Next()
				if !there {
					return
				}
				p.w.sleep = max(next.Sub(p.w.now), time.Millisecond)
				if !yield(0) {
					return
				}
				continue
			}
			if !p.w.fired(p, f, yield) {
				return
			}
		}
	})
}

// saveAlarms enlists the row of alarms.
func (p *process) saveAlarms() {
	p.write(durability.AlarmTray, write{doc: p.alarms.Doc()})
}

// Operations on the store, each a crash point.

var background = context.Background()

func (w *world) list(p *process, f durability.Filter) []durability.Entry {
	w.op("list")
	entries, err := w.disk.List(background, instance, p.epoch, f)
	if err != nil {
		w.failf("list: %v", err)
	}
	return entries
}

func (w *world) get(p *process, name durability.Tray) (durability.Row, bool) {
	if own, ok := p.last[name]; ok {
		return durability.Row{Marked: own.marked, Doc: own.doc}, own.doc != nil
	}
	w.op("get " + name.String())
	r, ok, err := w.disk.Get(background, instance, p.epoch, name)
	if err != nil {
		w.failf("get: %v", err)
	}
	return r, ok
}

func (w *world) apply(p *process, writes []frontier.Write[durability.Tray, write]) error {
	names := ""
	ops := make([]durability.Op, len(writes))
	for i, wr := range writes {
		names += " " + wr.Row.String()
		ops[i] = durability.Delete{Tray: wr.Row}
		if wr.Data.doc != nil {
			ops[i] = durability.Put{Tray: wr.Row, Row: durability.Row{Marked: wr.Data.marked, Doc: wr.Data.doc}}
		}
	}
	w.op(fmt.Sprintf("apply at %d:%s", p.epoch, names))
	err := w.disk.Apply(background, instance, p.epoch, ops)
	w.check()
	return err
}
