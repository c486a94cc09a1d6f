package tray

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rig is a tray with one queue, whose pump runs to its next stop.
type rig struct {
	t   *testing.T
	cfg Config
	*Machine
	queue   Queue[int]
	entries map[string]string
	now     time.Time
	winding bool

	delivered []string // item#attempt, with * for a resumed one
	handle    func(item int, d Delivery) (Result, bool)
	broke     bool
	freed     bool
	closed    bool
	waited    []time.Duration
	others    map[Target]*rig
}

func newRig(t *testing.T, cfg Config, row map[string]string, marked bool) *rig {
	t.Helper()
	r := &rig{t: t, cfg: cfg, entries: map[string]string{}, now: time.UnixMilli(1_000_000)}
	maps.Copy(r.entries, row)
	r.open(marked)
	r.handle = func(int, Delivery) (Result, bool) { return Done, false }
	return r
}

// open is an activation from the entries.
func (r *rig) open(marked bool) {
	r.t.Helper()
	entry := func(name string) []byte {
		if text, ok := r.entries[name]; ok {
			return []byte(text)
		}
		return nil
	}
	var taken bool
	var err error
	r.queue, taken, err = ParseQueue(entry("items"), decodeInt)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Machine, err = Open(r.cfg, marked, taken, entry)
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) write() {
	r.Changes(func(name string, raw []byte) {
		if raw == nil {
			delete(r.entries, name)
		} else {
			r.entries[name] = string(raw)
		}
	})
	delete(r.entries, "items")
	if e := r.queue.Snapshot(); e != nil {
		r.entries["items"] = string(e.Append(nil))
	}
}

func (r *rig) add(items ...int) {
	r.t.Helper()
	start, err := r.Kick(r.winding)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, n := range items {
		if _, err := r.queue.Append([]byte(strconv.Itoa(n)), n, nil); err != nil {
			r.t.Fatal(err)
		}
	}
	r.write()
	if start {
		r.pump()
	}
}

// pump is what a shell does.
func (r *rig) pump() {
	r.t.Helper()
	for range 1000 {
		act := r.Next(r.winding)
		switch act {
		case Quit:
			r.write()
			return
		case Ask:
			if !r.Fresh() {
				r.queue.Pop() // the acknowledgement
			}
			r.Asked(r.queue.Len() > 0)
		case Deliver:
			item := r.queue.Items()[0].Value
			d := r.Begin(r.now)
			r.write()
			mark := ""
			if d.Resumed {
				mark = "*"
			}
			r.delivered = append(r.delivered, fmt.Sprintf("%d#%d%s", item, d.Attempt, mark))
			result, crash := r.handle(item, d)
			if crash {
				r.open(r.Marked())
				r.write()
				if r.Start(r.winding) {
					continue
				}
				return
			}
			taken := len(r.queue.Taken()) > 0
			if result != Done {
				r.queue.Untake(len(r.queue.Taken()))
			}
			r.waited = append(r.waited, r.Handled(result, 0, 0, taken))
		case Release:
			rec := r.Releasing()
			if target := r.others[rec.Target]; target != nil {
				target.Forget(rec.Key)
				target.write()
			}
			r.Released()
		case Commit:
			r.queue.Commit()
			r.Committed()
		case Wait:
			r.Waited()
		case Close:
			r.closed = true
			r.write()
			return
		case Delete:
			r.entries, r.freed = nil, true
			return
		case Break:
			r.broke = true
			return
		}
		r.write()
	}
	r.t.Fatal("the pump doesn't end")
}

func (r *rig) want(delivered string, marked bool, row string) {
	r.t.Helper()
	if got := strings.Join(r.delivered, " "); got != delivered {
		r.t.Errorf("delivered %s, want %s", got, delivered)
	}
	var entries []string
	for _, name := range slices.Sorted(maps.Keys(r.entries)) {
		entries = append(entries, name+"="+r.entries[name])
	}
	if got := strings.Join(entries, " "); got != row || r.Marked() != marked {
		r.t.Errorf("the row is %q, marked %v, want %q, %v", got, r.Marked(), row, marked)
	}
	r.delivered = nil
}

func TestItemsAreDeliveredInOrderAndTheRowRestsUnmarked(t *testing.T) {
	r := newRig(t, Config{Keyed: true}, nil, false)
	r.add(1, 2, 3)
	r.want("1#1 2#1 3#1", false, "")
	if !r.closed || r.Retired() != Closed {
		t.Error("a dry keyed tray must close")
	}
	if _, err := r.Kick(false); err == nil {
		t.Error("a closed tray was kicked")
	}
}

func TestAnAdmissionIsMarkedBeforeItIsAppended(t *testing.T) {
	r := newRig(t, Config{}, nil, false)
	if start, err := r.Kick(true); start || err != nil {
		t.Fatal("a pump was started in a wind-down", err)
	}
	if changed := r.Changes(func(string, []byte) {}); !changed || !r.Marked() {
		t.Error("the row isn't marked")
	}
}

func TestAFailedDeliveryComesAgainAndParks(t *testing.T) {
	r := newRig(t, Config{Attempts: 3}, nil, false)
	r.handle = func(item int, _ Delivery) (Result, bool) {
		if item == 2 {
			return Failed, false
		}
		return Done, false
	}
	r.add(1, 2, 3)
	r.want("1#1 2#1 2#2 2#3", true, `items=[2,3] ~attempts=3 ~parked=true`)
	if want := []time.Duration{0, time.Second, 2 * time.Second, 0}; !slices.Equal(r.waited, want) {
		t.Errorf("waited %v, want %v", r.waited, want)
	}
	r.add(4)
	r.want("", true, `items=[2,3,4] ~attempts=3 ~parked=true`)

	r.handle = func(int, Delivery) (Result, bool) { return Done, false }
	unparked, start := r.Unpark(false)
	if !unparked || !start {
		t.Fatal("not unparked")
	}
	r.pump()
	r.want("2#1 3#1 4#1", false, "")
}

func TestTheBackoffDoublesToItsLimit(t *testing.T) {
	r := newRig(t, Config{Attempts: 100}, nil, false)
	tries := 0
	r.handle = func(int, Delivery) (Result, bool) {
		if tries++; tries > 11 {
			return Done, false
		}
		return Failed, false
	}
	r.add(1, 2)
	var seconds []float64
	for _, d := range r.waited {
		seconds = append(seconds, d.Seconds())
	}
	if want := []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 0, 0}; !slices.Equal(seconds, want) {
		t.Errorf("waited %v s, want %v", seconds, want)
	}
	m := &Machine{cfg: Config{Attempts: 10}}
	if d := m.Handled(Failed, 0, 1, false); d != time.Second/2 {
		t.Errorf("the most jitter leaves %v", d)
	}
	if d := m.Handled(Failed, time.Hour, 1, false); d != time.Hour {
		t.Errorf("Retry-After of an hour came to %v", d)
	}
}

func TestACrashRedeliversWithAHigherCount(t *testing.T) {
	r := newRig(t, Config{Attempts: 3}, nil, false)
	crashes := 2
	r.handle = func(item int, _ Delivery) (Result, bool) {
		if item == 1 && crashes > 0 {
			crashes--
			return Done, true
		}
		return Done, false
	}
	r.add(1, 2)
	r.want("1#1 1#2 1#3 2#1", false, "")

	r.handle = func(int, Delivery) (Result, bool) { return Done, true }
	r.add(3)
	r.want("3#1 3#2 3#3", true, "items=[3] ~attempts=3 ~parked=true")
}

func TestAConfirmedInputIsResumed(t *testing.T) {
	for name, confirm := range map[string]func(r *rig){
		"a state": func(r *rig) { r.SetState(json.RawMessage(`{"at":1}`)) },
		"a take":  func(r *rig) { r.queue.Take(1) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Config{}, nil, false)
			r.handle = func(item int, d Delivery) (Result, bool) {
				if d.Attempt > 1 || item != 1 {
					return Done, false
				}
				confirm(r)
				r.write()
				return Done, true
			}
			r.add(1, 2)
			r.want("1#1 1#2* 2#1", false, "")
		})
	}
	for name, confirm := range map[string]func(r *rig){
		"nothing":    func(*rig) {},
		"null alone": func(r *rig) { r.SetState(json.RawMessage(`null`)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Config{}, nil, false)
			r.handle = func(_ int, d Delivery) (Result, bool) {
				if d.Attempt == 1 {
					confirm(r)
					r.write()
				}
				return Done, d.Attempt == 1
			}
			r.add(1)
			r.want("1#1 1#2", false, "")
		})
	}
}

func TestADeletionWaitsForTheRunningDelivery(t *testing.T) {
	r := newRig(t, Config{Keyed: true}, nil, false)
	r.handle = func(int, Delivery) (Result, bool) {
		if start, err := r.DeleteSoon(false); start || err != nil {
			t.Error(start, err)
		}
		r.write()
		if r.entries["~inbox"] != `[{"command":"delete"}]` {
			t.Error("the command isn't durable:", r.entries)
		}
		if _, err := r.DeleteSoon(false); err != nil {
			t.Error(err)
		}
		return Done, false
	}
	r.add(1, 2)
	if !r.freed || r.Retired() != Deleted || strings.Join(r.delivered, " ") != "1#1" {
		t.Error("not deleted after the first delivery", r.delivered)
	}
	var mode *ModeError
	if _, err := r.Kick(false); !errors.As(err, &mode) || mode.Mode != Deleted {
		t.Error(err)
	}
}

func TestACommandInTheRowIsCarriedOutFirst(t *testing.T) {
	r := newRig(t, Config{}, map[string]string{"items": "[1]", "~inbox": `[{"command": "delete"}]`}, true)
	if !r.Start(false) {
		t.Fatal("not started")
	}
	r.pump()
	if !r.freed || len(r.delivered) != 0 {
		t.Error("not deleted", r.delivered)
	}
	r = newRig(t, Config{}, map[string]string{"~inbox": `[{"command": "explode"}]`}, true)
	r.Start(false)
	r.pump()
	if !r.broke || r.Command() != `{"command": "explode"}` {
		t.Error("an unknown command went by")
	}
}

func TestACancelledDeliveryIsConsumed(t *testing.T) {
	r := newRig(t, Config{}, nil, false)
	r.handle = func(item int, _ Delivery) (Result, bool) {
		if item == 1 && !r.Cancel() {
			t.Error("not cancelled")
		}
		return Failed, false
	}
	r.cfg.Attempts = 2
	r.Machine.cfg.Attempts = 2
	r.add(1, 2)
	r.want("1#1 2#1 2#2", true, "items=[2] ~attempts=2 ~parked=true")
	if r.Cancel() {
		t.Error("something was cancelled where nothing runs")
	}
}

func TestAnInterruptedDeliveryDoesNotCount(t *testing.T) {
	r := newRig(t, Config{}, map[string]string{"items": "[1]", "~attempts": "2"}, true)
	r.handle = func(int, Delivery) (Result, bool) {
		r.winding = true
		return Interrupted, false
	}
	r.Start(false)
	r.pump()
	r.want("1#3", true, "items=[1] ~attempts=2")
}

func TestAWindDownTakesNoNewItemButKeepsTheAcknowledgement(t *testing.T) {
	for _, drain := range []bool{false, true} {
		r := newRig(t, Config{Drain: drain}, nil, false)
		r.handle = func(int, Delivery) (Result, bool) {
			r.winding = true
			return Done, false
		}
		r.add(1, 2)
		if drain {
			r.want("1#1 2#1", false, "")
		} else {
			r.want("1#1", true, "items=[2]")
		}
	}
}

func TestAKeyIsAdmittedOnce(t *testing.T) {
	sink := newRig(t, Config{}, nil, false)
	source := newRig(t, Config{}, nil, false)
	to := Target{"sink", "~"}
	source.others = map[Target]*rig{to: sink}
	key := json.RawMessage(`["r",1]`)
	object := func(n int) []byte { return fmt.Appendf(nil, `{"n":%d}`, n) }
	var sunk Queue[int]
	admit := func() Outcome {
		outcome, known, err := source.Find(key, to)
		if err != nil {
			t.Fatal(err)
		}
		if known {
			return outcome
		}
		a, err := sink.Admit(key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sink.Admit(key); !errors.Is(err, ErrNested) {
			t.Error(err)
		}
		if _, err := sunk.Append(object(1), 1, a); err != nil {
			t.Fatal(err)
		}
		outcome = sink.End()
		if err := source.Record(key, to, outcome); err != nil {
			t.Fatal(err)
		}
		return outcome
	}
	if err := source.Record(key, to, Admitted); !errors.Is(err, ErrNotRunning) {
		t.Error(err)
	}
	source.handle = func(_ int, d Delivery) (Result, bool) {
		outcome := admit()
		sink.write()
		source.write()
		if d.Attempt == 1 {
			if outcome != Admitted || source.entries["~dispatch"] != `[{"key":["r",1],"target":["sink","~"],"outcome":"admitted","cleaned":false}]` {
				t.Error(outcome, source.entries)
			}
			if sink.entries["~ignore"] != `[["r",1]]` {
				t.Error(sink.entries)
			}
			return Done, true
		}
		if _, _, err := source.Find(key, Target{"sink", "other"}); err == nil {
			t.Error("one key went to two trays")
		}
		return Done, false
	}
	source.add(1)
	source.want("1#1 1#2", false, "")
	if got := entryOf(&sunk); got != `[{"n":1,"~admit":["r",1]}]` {
		t.Error("the sink holds", got)
	}
	if len(sink.entries) != 0 {
		t.Error("the key wasn't released:", sink.entries)
	}

	// The record of the source is lost, as when it was never durable: the item that is
	// there absorbs the second.
	source.handle = func(int, Delivery) (Result, bool) {
		if outcome := admit(); outcome != Absorbed {
			t.Error(outcome)
		}
		return Done, false
	}
	source.add(2)
	if sunk.Len() != 1 {
		t.Error("admitted twice")
	}
}

func TestStoredEntriesOfAnotherShapeAreRefused(t *testing.T) {
	for name, entries := range map[string][]string{
		"~attempts": {`0`, `-1`, `"1"`, `true`, `1.5`, `null`},
		"~parked":   {`false`, `null`, `1`},
		"~inbox":    {`{}x`, `1`, `{"command":"delete"}`, `null`},
		"~dispatch": {
			`{}`, `null`, `[1]`, `[{}]`, `[{"key":1,"target":["a"],"outcome":"admitted","cleaned":false}]`,
			`[{"key":1,"target":["a","b"],"outcome":"lost","cleaned":false}]`, `[{"key":1,"target":["a","b"],"outcome":"admitted"}]`,
			`[{"key":1,"target":["a","b"],"outcome":"admitted","cleaned":0}]`, `[{"key":1,"target":["a","b"],"outcome":"admitted","cleaned":null}]`,
			`[{"key":1,"target":["a","b","c"],"outcome":"admitted","cleaned":true}]`, `[{"key":1,"target":["a",null],"outcome":"admitted","cleaned":true}]`,
			`[{"key":1,"target":["a","b"],"outcome":"admitted","cleaned":true,"more":1}]`,
			`[{"key":1,"target":["a","b"],"outcome":"admitted","cleaned":true,"Cleaned":false}]`,
		},
		"~ignore": {`{}`, `null`, `1`},
	} {
		for _, text := range entries {
			_, err := Open(Config{}, false, false, func(n string) []byte {
				if n == name {
					return []byte(text)
				}
				return nil
			})
			var e *EntryError
			if !errors.As(err, &e) || e.Entry != name {
				t.Errorf("%s as %s: %v", name, text, err)
			}
		}
	}
}

func TestEpochsOfRunsGrow(t *testing.T) {
	r := newRig(t, Config{}, nil, false)
	var epochs []int64
	r.handle = func(_ int, d Delivery) (Result, bool) {
		if d.Epoch != r.Epoch() {
			t.Error("two epochs of one run")
		}
		epochs = append(epochs, d.Epoch)
		return Done, len(epochs) == 1
	}
	r.add(1, 2)
	if len(epochs) != 3 || !slices.IsSorted(epochs) || epochs[1] == epochs[2] || r.Epoch() != 0 {
		t.Error(epochs)
	}
}

func TestReservedMembersAreRefused(t *testing.T) {
	var q Queue[int]
	if _, err := q.Append([]byte(`{"~admit":1}`), 1, nil); !errors.Is(err, ErrReserved) {
		t.Error(err)
	}
	m, err := Open(Config{}, false, false, func(string) []byte { return nil })
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Admit(json.RawMessage(`"k"`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Append([]byte(`1`), 1, a); !errors.Is(err, ErrNotObject) {
		t.Error(err)
	}
	if err := q.Insert([]byte(`{}`), 1, a); !errors.Is(err, ErrAdmission) {
		t.Error(err)
	}
	if _, err := q.Append([]byte(` { } `), 1, a); err != nil || entryOf(&q) != `[{ "~admit":"k"}]` {
		t.Error(entryOf(&q), err)
	}
}
