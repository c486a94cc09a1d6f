package crash

import (
	"fmt"
	"time"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/alarm"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// client sends the requests of the workload, one after another, and knows what was
// acknowledged. It outlives the processes: a request that crashed is not sent again.
type client struct {
	next     int
	sent     map[durability.Tray][]int // items, in the order in which they were sent
	acked    map[durability.Tray][]int
	value    int // the last acknowledged one
	values   int // the last sent one
	alarms   map[string]time.Time
	set      map[string]bool // alarms whose setting was acknowledged
	drop     bool            // the deletion of the scratch tray is durable
	dropped  bool            // and acknowledged
	healed   bool            // poison is none any more
	last     map[durability.Tray]execution
	finished bool
}

func newClient() client {
	return client{
		sent: map[durability.Tray][]int{}, acked: map[durability.Tray][]int{}, alarms: map[string]time.Time{}, set: map[string]bool{},
		last: map[durability.Tray]execution{},
	}
}

// delivered checks that the deliveries of one item have growing counts. One that was
// counted, and crashed before its handler ran, is seen by nobody.
func (c *client) delivered(w *world, name durability.Tray, it item, d tray.Delivery) {
	last := c.last[name]
	switch {
	case d.Attempt > attempts:
		w.failf("%s: delivery %d of item %d", name, d.Attempt, it.N)
	case last.N == it.N && d.Attempt <= last.Attempt && d.Attempt != 1:
		w.failf("%s: delivery %d of item %d comes after delivery %d", name, d.Attempt, it.N, last.Attempt)
	case last.N == it.N && d.Attempt == 1:
		w.failf("%s: item %d is delivered a second time as the first", name, it.N)
	}
	c.last[name] = execution{it.N, d.Attempt}
}

// request is one request. It runs in a turn, and returns what to do once it is
// acknowledged.
type request func(c *client, p *process) (acknowledged func())

// requests are the workload.
var requests = []request{
	enqueue("work", "~", 1), set, enqueue("kwork", "k1", 101), put, enqueue("relay", "~", 201), enqueue("work", "~", 2),
	ring("once", alarm.Schedule{Delay: 3 * time.Second}), enqueue("kwork", "k2", 102), set, drop,
	ring("often", alarm.Schedule{Every: 10 * time.Second}), enqueue("kwork", "kp", 104), enqueue("relay", "~", 202), adopt,
	enqueue("work", "~", 3), enqueue("kwork", "k1", 103), set,
}

func enqueue(namespace, id string, n int) request {
	name := durability.Tray{Namespace: namespace, ID: id}
	return func(c *client, p *process) func() {
		it := item{N: n}
		if id == "kp" {
			it.Key = "poison"
		}
		c.sent[name] = append(c.sent[name], n)
		p.get(name, true).admit(it, nil)
		return func() { c.acked[name] = append(c.acked[name], n) }
	}
}

// set writes two rows in one segment.
func set(c *client, p *process) func() {
	c.values++
	n := c.values
	p.object.set("value", n)
	p.enlist(objectRow, p.object)
	p.write(mirrorRow, write{doc: fmt.Appendf(nil, `{"value":%d}`, n)})
	return func() { c.value = n }
}

func put(_ *client, p *process) func() {
	t := p.get(scratch, true)
	t.set("note", 7)
	t.save()
	return func() {}
}

func drop(c *client, p *process) func() {
	t := p.get(scratch, false)
	if t == nil {
		return func() { c.drop, c.dropped = true, true } // its creation was lost
	}
	start, err := t.DeleteSoon(false)
	if err != nil {
		p.w.failf("delete: %v", err)
	}
	t.save()
	if start {
		p.pump(t)
	}
	return func() { c.drop = true }
}

func ring(name string, s alarm.Schedule) request {
	return func(c *client, p *process) func() {
		due := p.w.now.Add(s.Delay + s.Every)
		if err := p.alarms.Set(name, s, nil, p.w.now); err != nil {
			p.w.failf("alarm: %v", err)
		}
		c.alarms[name] = due
		p.saveAlarms()
		p.ring()
		return func() { c.set[name] = true }
	}
}

// adopt is the request that comes with a higher epoch.
func adopt(_ *client, p *process) func() {
	to := p.epoch + 1
	p.w.op(fmt.Sprintf("adopt %d", to))
	if err := p.w.disk.Adopt(background, instance, p.epoch, to); err != nil {
		p.w.failf("adopt: %v", err)
	}
	p.epoch = to
	return func() {}
}

// run sends what wasn't sent yet, then waits until all is done.
func (c *client) run(p *process, yield func(int64) bool) {
	for c.next < len(requests) {
		r := requests[c.next]
		c.next++
		acknowledged := r(c, p)
		// The answer waits for what the turn wrote.
		if !yield(p.log.Position()) {
			return
		}
		acknowledged()
		p.w.notef("acknowledged request %d", c.next)
	}
	poisoned := durability.Tray{Namespace: "kwork", ID: "kp"}
	for !c.drained(p) {
		if t := p.trays[poisoned]; t != nil && t.Parked() {
			c.healed = true
			delete(c.last, poisoned) // its count begins afresh
			if unparked, start := t.Unpark(false); unparked {
				t.save()
				if start {
					p.pump(t)
				}
			}
		}
		p.w.sleep = time.Second
		if !yield(p.log.Position()) {
			return
		}
	}
	if !yield(p.log.Position()) {
		return
	}
	c.dropped = c.drop
	c.finished = true
}

// drained reports whether nothing is left to do.
func (c *client) drained(p *process) bool {
	for _, t := range p.trays {
		if t.Running() || t.queue.Len() > 0 {
			return false
		}
	}
	return p.alarms.Len() == 0
}
