package pinned

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// Tray makes the struct that embeds it a tray type: a durable queue of work with
// state of its own (durability contract, section 5). Its durable fields are one
// row; Items gives the work, and what runs after a yield is its acknowledgement. It
// must not be copied.
//
// A tray lives in a field of an object (TrayOf, TraysOf), in whose turns its methods
// are called.
type Tray struct {
	_ noCopy

	in bind.Tray
}

// trayed is any pointer to a struct that embeds Tray.
type trayed interface{ tray() *Tray }

func (t *Tray) tray() *Tray { return t }

// Key is the key of the tray in its field; "" for the one of a TrayOf.
func (t *Tray) Key() string {
	if t.in == nil {
		return ""
	}
	return t.in.Key()
}

// Kick marks the row, so that the work is resumed wherever its process dies, and
// starts it. An append to one of the tray's queues does so by itself; it is for
// work that Items derives from something else. It panics on a tray that was
// deleted.
func (t *Tray) Kick() {
	if t.in == nil {
		return
	}
	if err := t.in.Kick(); err != nil {
		panic("pinned: " + err.Error())
	}
}

// Delete deletes the tray with all that it holds, once its running dispatch has
// ended, and frees its key. The turn in ctx is given up until then. It is durable
// when it is admitted: if ctx ends, or the process dies, it is carried out all the
// same.
func (t *Tray) Delete(ctx context.Context) error {
	if t.in == nil {
		return nil
	}
	return t.in.Delete(ctx)
}

// Parked reports whether the head of the tray has been delivered as often as its
// type allows (attempts), and failed. It stays where it is until Unpark.
func (t *Tray) Parked() bool { return t.in != nil && t.in.Parked() }

// Unpark has the parked head delivered afresh, its count at 0. The receipt has an
// error where the tray isn't parked.
func (t *Tray) Unpark() Receipt {
	if t.in != nil {
		if w, ok := t.in.Unpark(); ok {
			return receipt(w)
		}
	}
	return Receipt{err: errors.New("unpark: the tray isn't parked")}
}

// Running is the epoch of the running dispatch, which no other has ever had; 0 where
// none runs.
func (t *Tray) Running() int64 {
	if t.in == nil {
		return 0
	}
	return t.in.Run()
}

// Stop ends the dispatch that has the epoch, and takes its item for done: it isn't
// delivered again. Where another one runs, or none, it fails with the code
// wrong-state (409), and changes nothing.
func (t *Tray) Stop(epoch int64) error {
	running := t.Running()
	if epoch == 0 || running != epoch || !t.in.Cancel() {
		return &Error{
			Status: 409, Code: "wrong-state", Title: "Conflict",
			Detail: fmt.Sprintf("the dispatch %d isn't the one that runs", epoch),
		}
	}
	return nil
}

// CancelDispatch ends the running dispatch, or the one that waits for its next
// attempt, and takes its item for done: it isn't delivered again. It reports whether
// there was one.
func (t *Tray) CancelDispatch() bool { return t.in != nil && t.in.Cancel() }

// TrayOf is an object's tray of type T, which embeds Tray. It must not be copied.
type TrayOf[T any] struct {
	_ noCopy

	trays[T]
}

// Get opens the tray, which is there from the first time on. The turn in ctx may be
// given up meanwhile.
func (f *TrayOf[T]) Get(ctx context.Context) (*T, error) { return f.get(ctx, "") }

// TraysOf are an object's trays of type T, which embeds Tray: one for each key that
// was ever asked for, until it is deleted. It must not be copied.
type TraysOf[T any] struct {
	_ noCopy

	trays[T]
}

// Get opens the tray of a key, and creates it where there is none. A key has 1 to
// 1,024 bytes of UTF-8. The turn in ctx may be given up meanwhile.
func (f *TraysOf[T]) Get(ctx context.Context, key string) (*T, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	return f.get(ctx, key)
}

// Find opens the tray of a key. It is nil where there is none. The turn in ctx may be
// given up meanwhile.
func (f *TraysOf[T]) Find(ctx context.Context, key string) (*T, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if f.in == nil {
		return f.made[key], nil
	}
	return f.open(ctx, key, false)
}

// trays is what TrayOf and TraysOf have in common.
type trays[T any] struct {
	in   bind.Trays
	made map[string]*T // without a host
}

func (f *trays[T]) bindTrays(in bind.Trays) { f.in = in }

func (f *trays[T]) get(ctx context.Context, key string) (*T, error) {
	if f.in != nil {
		return f.open(ctx, key, true)
	}
	if f.made[key] == nil {
		if f.made == nil {
			f.made = map[string]*T{}
		}
		f.made[key] = new(T)
	}
	return f.made[key], nil
}

func (f *trays[T]) open(ctx context.Context, key string, create bool) (*T, error) {
	v, err := f.in.Open(ctx, key, create)
	if v == nil || err != nil {
		return nil, err
	}
	return v.(*T), nil //nolint:errcheck,forcetypeassert // the runtime makes one for a field of T
}

// Jobs is an object's durable queue of work, for which one of its methods is the
// handler (//pinned:handle): a tray without a type of its own. It must not be copied,
// and is touched while the turn is held only.
type Jobs[T any] struct {
	_ noCopy

	queue Queue[T]
	in    bind.Tray
}

// Append puts items at the tail, all of them in one segment, and starts the work.
func (j *Jobs[T]) Append(items ...T) Receipt { return j.queue.Append(items...) }

// Len is how many items are pending, the one that is being handled included.
func (j *Jobs[T]) Len() int { return j.queue.Len() }

// All is a snapshot of the pending items, the head first.
func (j *Jobs[T]) All() []T { return j.queue.All() }

// Tray is what the jobs are: their park, their running dispatch.
func (j *Jobs[T]) Tray() *Tray { return &Tray{in: j.in} }

func (j *Jobs[T]) bindJobs(in bind.Tray) { j.in = in }

func (j *Jobs[T]) jobsQueue() any { return &j.queue }

func checkKey(key string) error {
	if !validKey(key) {
		return fmt.Errorf("the key %.40q of a tray: it has 1 to 1,024 bytes of UTF-8, and no NUL", key)
	}
	return nil
}

// Admission is a keyed admission into a tray, for Dispatch.Admit: what an inbox method
// <Name>As returns.
type Admission struct {
	to  bind.Tray
	key json.RawMessage
	f   func()
}

// newAdmission is of a key that is a string.
func newAdmission(t *Tray, key string, f func()) Admission {
	raw, err := json.Marshal(key)
	if err != nil {
		panic("pinned: " + err.Error())
	}
	return Admission{t.in, raw, f}
}

// Admitted is how a keyed admission ended.
type Admitted = tray.Outcome

// The outcomes of a keyed admission.
const (
	// WasAdmitted: what the inbox appends has landed.
	WasAdmitted = tray.Admitted
	// WasAbsorbed: it had landed before, under the same key.
	WasAbsorbed = tray.Absorbed
)

// Dispatch is one delivery of an item to its handler.
//
// The zero Dispatch is a first delivery without a host, for tests of a handler.
type Dispatch struct {
	_ noCopy

	in    bind.Dispatch
	state json.RawMessage // without a host
}

// Attempt is how often the item has been delivered, this time included: 1 for the
// first.
func (d *Dispatch) Attempt() int {
	if d.in == nil {
		return 1
	}
	return d.in.Delivery().Attempt
}

// Resumed reports whether an earlier delivery has confirmed its input: it set a state,
// or took items. The handler goes on from there.
func (d *Dispatch) Resumed() bool { return d.in != nil && d.in.Delivery().Resumed }

// Epoch is that of this delivery: higher for each, so that Tray.Stop ends no other one.
func (d *Dispatch) Epoch() int64 {
	if d.in == nil {
		return 0
	}
	return d.in.Delivery().Epoch
}

// State reads the state of the dispatch into v, a pointer. It is false where none was
// set.
func (d *Dispatch) State(v any) (bool, error) {
	raw := d.state
	if d.in != nil {
		raw = d.in.State()
	}
	if raw == nil {
		return false, nil
	}
	return true, json.Unmarshal(raw, v)
}

// SetState sets the durable state of the dispatch. It is delivered again with the item,
// and gone with its acknowledgement. The receipt has an error where v doesn't encode,
// and once the delivery has ended.
func (d *Dispatch) SetState(v any) Receipt {
	raw, err := json.Marshal(v)
	if err != nil {
		return Receipt{err: fmt.Errorf("the state of a dispatch: %w", err)}
	}
	if d.in == nil {
		d.state = raw
		return Receipt{}
	}
	return receipt(d.in.SetState(raw))
}

// Admit carries out a keyed admission into a tray of the same object, exactly once for
// its key however often the item is delivered: the target remembers the key until this
// delivery was acknowledged.
func (d *Dispatch) Admit(ctx context.Context, a Admission) (Admitted, error) {
	if d.in == nil || a.to == nil {
		if a.f != nil {
			a.f()
		}
		return WasAdmitted, nil
	}
	return d.in.Admit(ctx, a.to, a.key, a.f)
}

func receipt(w bind.Written) Receipt { return Receipt{row: w.Row, pos: w.Pos, err: w.Err} }

func init() {
	bind.BindTray = func(embeds any, in bind.Tray) {
		if t, ok := embeds.(trayed); ok {
			t.tray().in = in
		}
	}
	bind.TrayIn = func(embeds any) bind.Tray {
		if t, ok := embeds.(trayed); ok && t.tray() != nil {
			return t.tray().in
		}
		return nil
	}
	bind.BindTrays = func(field any, in bind.Trays) {
		field.(interface{ bindTrays(in bind.Trays) }).bindTrays(in) //nolint:errcheck,forcetypeassert // generated code gives one
	}
	bind.BindJobs = func(jobs any, in bind.Tray) {
		jobs.(interface{ bindJobs(in bind.Tray) }).bindJobs(in) //nolint:errcheck,forcetypeassert // likewise
	}
	bind.JobsQueue = func(jobs any) any {
		return jobs.(interface{ jobsQueue() any }).jobsQueue() //nolint:errcheck,forcetypeassert // likewise
	}
	bind.NewDispatch = func(in bind.Dispatch) any { return &Dispatch{in: in} }
	bind.Admission = func(embeds any, key string, f func()) any {
		return newAdmission(embeds.(trayed).tray(), key, f) //nolint:errcheck,forcetypeassert // likewise
	}
	bind.Receipt = func(w bind.Written) any { return receipt(w) }
}
