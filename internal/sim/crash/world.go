package crash

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/alarm"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// instance is the one whose life is run.
var (
	instance  = durability.Key{Namespace: "/sim", ID: "a"}
	objectRow = durability.Tray{Namespace: "pinned", ID: "object"}
	mirrorRow = durability.Tray{Namespace: "mirror", ID: "~"}
	scratch   = durability.Tray{Namespace: "scratch", ID: "s"}
)

// Run is one run of the workload.
type Run struct {
	Seed    uint64
	Single  bool  // a store without batches
	Crashes []int // before which operations of the store, from 1, in order
}

func (r Run) String() string {
	return fmt.Sprintf("seed %d, single operations %v, crashes before %v", r.Seed, r.Single, r.Crashes)
}

// Result is what a run came to.
type Result struct {
	Ops     int      // operations on the store
	Crashes int      // how many of them were reached
	Trace   uint64   // a hash of everything that happened, in order
	Events  []string // the same in words, of a run that failed
	Err     error    // an invariant that doesn't hold
}

// world is a run: the disk and the client outlive the processes.
type world struct {
	Run

	rnd   *rand.Rand
	disk  *durability.Memory
	now   time.Time
	sleep time.Duration // how long the task that yields next sleeps
	ops   int
	left  []int // crash points to come

	events []string
	client client
	before *process // the crashed one
}

// crashed is the panic of a crash, violated that of an invariant.
type (
	crashed  struct{}
	violated struct{ err error }
)

func (w *world) failf(format string, args ...any) {
	panic(violated{fmt.Errorf(format, args...)})
}

func (w *world) notef(format string, args ...any) {
	w.events = append(w.events, fmt.Sprintf(format, args...))
}

// op is a crash point.
func (w *world) op(name string) {
	if len(w.left) > 0 && w.left[0] == w.ops+1 {
		w.left = w.left[1:]
		w.notef("crash before operation %d, %s", w.ops+1, name)
		panic(crashed{})
	}
	w.ops++
	w.notef("%d: %s", w.ops, name)
}

// Do runs the workload to its end, however often it crashes.
func Do(r Run) (res Result) {
	w := &world{
		Run: r, rnd: rand.New(rand.NewPCG(r.Seed, 0)), disk: durability.NewMemory(), //nolint:gosec // a simulation is repeatable
		now: time.UnixMilli(1_000_000), left: r.Crashes, client: newClient(),
	}
	epoch := int64(0)
	for {
		var p *process
		epoch += 2
		done, err := w.life(epoch, &p)
		if p != nil {
			p.crash()
		}
		if err != nil || done {
			res = Result{Ops: w.ops, Crashes: len(r.Crashes) - len(w.left), Err: err}
			break
		}
		w.before = p
		w.now = w.now.Add(time.Duration(w.rnd.IntN(3000)) * time.Millisecond)
	}
	h := fnv.New64a()
	for _, e := range w.events {
		_, _ = h.Write([]byte(e + "\n"))
	}
	res.Trace = h.Sum64()
	if res.Err != nil {
		res.Err = fmt.Errorf("%v: %w", r, res.Err)
		res.Events = w.events
	}
	return res
}

// life runs one process. It is done when the workload is; else it has crashed.
func (w *world) life(epoch int64, into **process) (done bool, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case crashed:
		case violated:
			err = v.err
		default:
			panic(v)
		}
	}()
	w.notef("activate at epoch %d", epoch)
	p := w.activate(epoch)
	*into = p
	w.check()
	w.fence(p)
	p.spawn("client", func(yield func(int64) bool) { w.client.run(p, yield) })
	for steps := 0; ; steps++ {
		if steps > 10_000 {
			w.failf("the workload doesn't end: %d tasks wait", len(p.tasks))
		}
		can := p.runnable()
		ready := p.flying != nil || p.log.Ready()
		switch {
		case ready && (len(can) == 0 || w.rnd.IntN(3) == 0):
			p.flush()
			if p.failed != nil {
				return false, fmt.Errorf("a flush failed: %w", p.failed)
			}
		case len(can) > 0:
			t := can[w.rnd.IntN(len(can))]
			w.notef("turn of %s", t.name)
			p.step(t)
		case w.client.finished:
			w.finish()
			// The crash after the last operation.
			w.op("end")
			return true, nil
		default:
			w.tick(p)
		}
	}
}

// tick moves the time to where something can go on.
func (w *world) tick(p *process) {
	var next time.Time
	for _, t := range p.tasks {
		if t.wait <= p.log.Durable() && (next.IsZero() || t.at.Before(next)) {
			next = t.at
		}
	}
	if next.IsZero() {
		w.failf("nothing can go on")
	}
	w.now = next
}

// fence has the process from before the crash go on, as one that was only frozen: what
// it writes and reads must be refused, and change nothing.
func (w *world) fence(p *process) {
	if w.before == nil {
		return
	}
	old := w.before.epoch
	var lost *durability.FenceLost
	rows := func() string { return fmt.Sprint(w.rows()) }
	before := rows()
	for name, err := range map[string]error{
		"put":    w.disk.Put(background, instance, old, objectRow, durability.Row{Doc: []byte(`{"stale":true}`)}),
		"delete": w.disk.Delete(background, instance, old, objectRow),
		"adopt":  w.disk.Adopt(background, instance, old, p.epoch+1),
	} {
		if !errors.As(err, &lost) {
			w.failf("a stale %s: %v", name, err)
		}
	}
	if _, err := w.disk.List(background, instance, old, durability.Filter{}); !errors.As(err, &lost) {
		w.failf("a stale list: %v", err)
	}
	if _, _, err := w.disk.Get(background, instance, old, objectRow); !errors.As(err, &lost) {
		w.failf("a stale get: %v", err)
	}
	if after := rows(); after != before {
		w.failf("a stale operation changed the rows from %s to %s", before, after)
	}
	w.before = nil
}

// handle is the handler of all trays.
func (w *world) handle(p *process, t *openTray, it item, d tray.Delivery, yield func(int64) bool) (tray.Result, bool) {
	w.notef("deliver %d of %s, attempt %d, resumed %v", it.N, t.name, d.Attempt, d.Resumed)
	w.client.delivered(w, t.name, it, d)
	switch t.name.Namespace {
	case "relay":
		return w.relay(p, t, it, yield)
	case "sink":
		w.execute(t, it, d)
		return tray.Done, yield(p.log.Position())
	case "scratch":
		w.failf("a scratch tray has nothing to deliver")
	}
	if it.Key == "poison" && !w.client.healed {
		return tray.Failed, yield(0)
	}
	if !d.Resumed {
		t.SetState([]byte(`{"stage":"taking"}`))
		t.save()
		if !yield(0) {
			return 0, false
		}
	}
	took := t.feed.Take(1)
	if len(took) != 1 || took[0].Value.N != it.N {
		w.failf("%s: the feed has %v for item %d", t.name, took, it.N)
	}
	t.SetState([]byte(`{"stage":"took"}`))
	t.save()
	if !yield(0) {
		return 0, false
	}
	t.steer.Untake(len(t.steer.Take(t.steer.Len()))) // there and back
	for _, lane := range t.steer.Take(2) {
		if lane.Value.N != it.N {
			w.failf("%s: the steer has %v for item %d", t.name, lane.Value, it.N)
		}
	}
	w.execute(t, it, d)
	// A durable effect before the acknowledgement: a crash in between delivers again.
	return tray.Done, yield(p.log.Position())
}

// execution is an entry of a tray's log.
type execution struct {
	N       int `json:"n"`
	Attempt int `json:"attempt"`
}

// execute appends to the log of a tray.
func (w *world) execute(t *openTray, it item, d tray.Delivery) {
	var log []execution
	t.get("log", &log)
	t.set("log", append(log, execution{it.N, d.Attempt}))
	t.set("done", len(log)+1)
	t.save()
}

// relay admits an item into the sink, once for its key.
func (w *world) relay(p *process, t *openTray, it item, yield func(int64) bool) (tray.Result, bool) {
	sink := p.get(durability.Tray{Namespace: "sink", ID: "~"}, true)
	key := fmt.Appendf(nil, `["r",%d]`, it.N)
	target := tray.Target(sink.name)
	_, known, err := t.Find(key, target)
	if err != nil {
		w.failf("relay: %v", err)
	}
	if !known {
		a, err := sink.Admit(key)
		if err != nil {
			w.failf("relay: %v", err)
		}
		sink.admit(it, a)
		outcome := sink.End()
		sink.save()
		if err := t.Record(key, target, outcome); err != nil {
			w.failf("relay: %v", err)
		}
		t.save()
		w.notef("relayed %d: %s", it.N, outcome)
	}
	return tray.Done, yield(p.log.Position())
}

// fired runs an alarm: the first time it fails.
func (w *world) fired(p *process, f alarm.Firing, yield func(int64) bool) bool {
	w.notef("alarm %s, attempt %d", f.Name, f.Attempt)
	if due := w.client.alarms[f.Name]; w.now.Before(due) || w.now.Before(f.Due) {
		w.failf("alarm %s runs at %v, and is due at %v", f.Name, w.now, due)
	}
	if !yield(0) {
		return false
	}
	if f.Attempt == 1 {
		p.alarms.End(f, alarm.Result{Err: errors.New("no answer")}, w.now)
		p.saveAlarms()
		return yield(0)
	}
	var rang map[string]int
	p.object.get("rang", &rang)
	if rang == nil {
		rang = map[string]int{}
	}
	rang[f.Name]++
	p.object.set("rang", rang)
	p.enlist(objectRow, p.object)
	if f.Name == "often" && rang[f.Name] >= 2 {
		p.alarms.Cancel("often")
	}
	p.alarms.End(f, alarm.Result{}, w.now)
	p.saveAlarms()
	return yield(0)
}
