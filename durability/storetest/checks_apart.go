package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinned-go/pinned/durability"
)

// twoOwners has two write at two epochs at once: exactly the rows of the higher remain.
func twoOwners(t *tester) {
	rows := []durability.Tray{object, work}
	write := func(epoch int64, n int) error {
		if b, ok := t.store.(durability.Batcher); ok {
			return b.Apply(t.Context(), room, epoch, []durability.Op{owned(rows[0], epoch, n), owned(rows[1], epoch, n)})
		}
		for _, tray := range rows {
			p := owned(tray, epoch, n)
			if err := t.store.Put(t.Context(), room, epoch, p.Tray, p.Row); err != nil {
				return err
			}
		}
		return nil
	}
	began, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		first := sync.OnceFunc(func() { close(began) })
		defer first()
		for n := 0; ; n++ {
			err := write(1, n)
			if v := judge(err); v == fenced || v == rejected {
				ended <- err
				return
			}
			first()
			if t.Context().Err() != nil {
				ended <- t.Context().Err()
				return
			}
		}
	}()
	<-began
	const writes = 20
	for n := range writes {
		for i := 0; ; i++ {
			err := write(2, n)
			if err == nil {
				break
			}
			if v := judge(err); v == fenced || v == rejected || i == tries {
				t.Fatalf("write %d of the higher owner: %v", n, err)
			}
		}
	}
	t.want("write of the lower owner", fenced, <-ended)
	entries, err := t.read(room, 2, durability.Filter{})
	t.must("list", err)
	want := owned(object, 2, writes-1).Row.Doc
	if len(entries) != 2 || !sameDoc(entries[0].Doc, want) || !sameDoc(entries[1].Doc, want) {
		t.Errorf("of two owners these rows remain: %v, want %s twice", entries, want)
	}
}

func owned(tray durability.Tray, epoch int64, n int) durability.Put {
	return durability.Put{Tray: tray, Row: row(`{"epoch":%d,"n":%d}`, epoch, n)}
}

func manyInstances(t *tester) {
	if _, ok := t.store.(durability.MultiBatcher); !ok {
		t.Skip("it is no MultiBatcher")
	}
	var batches []durability.Batch
	for i := range 64 {
		key := durability.Key{Namespace: "/rooms", ID: strconv.Itoa(64 - i)} // in no order
		batches = append(batches, durability.Batch{Key: key, Epoch: int64(i % 2), Ops: []durability.Op{
			put(object, i), put(work, i), durability.Delete{Tray: object}, put(durability.Tray{Namespace: "members", ID: key.ID}, i),
		}[:i%5]})
	}
	for range 2 {
		for i, err := range t.applyAll(batches...) {
			t.must(fmt.Sprintf("batch %d", i), err)
		}
	}
	batches[5].Ops = []durability.Op{put(object, 1), otherOp{}}
	batches[6].Ops = []durability.Op{durability.Put{Tray: object, Row: row(`[]`)}}
	batches[7].Epoch = -1
	for i, err := range t.applyAll(batches[:10]...) {
		if i >= 5 && i <= 7 {
			t.want(fmt.Sprintf("batch %d, which can't be", i), rejected, err)
		} else {
			t.must(fmt.Sprintf("batch %d, beside some that can't be", i), err)
		}
	}
}

// manyAtOnce has many callers write to overlapping sets of instances, in any order: none
// waits for another for ever, and none sees half of a batch.
func manyAtOnce(t *tester) {
	m, multi := t.store.(durability.MultiBatcher)
	const callers, instances, rounds = 8, 12, 10
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for n := range rounds {
				var batches []durability.Batch
				for i := range instances {
					if i = (i*5 + c) % instances; c%2 == 1 {
						i = instances - 1 - i
					}
					if (i+c+n)%3 > 0 {
						batches = append(batches, durability.Batch{
							Key: durability.Key{Namespace: "/rooms", ID: strconv.Itoa(i)},
							Ops: []durability.Op{owned(object, int64(c), n), owned(work, int64(c), n)},
						})
					}
				}
				if multi {
					for i, err := range m.ApplyAll(t.Context(), batches) {
						if v := judge(err); v == fenced || v == rejected {
							t.Errorf("batch %d of caller %d: %v", i, c, err)
						}
					}
					continue
				}
				for _, b := range batches {
					for _, tray := range []durability.Tray{object, work} {
						err := t.store.Put(t.Context(), b.Key, b.Epoch, tray, owned(tray, int64(c), n).Row)
						if v := judge(err); v == fenced || v == rejected {
							t.Errorf("a put of caller %d: %v", c, err)
						}
					}
				}
			}
		})
	}
	wg.Wait()
	for i := range instances {
		entries, err := t.read(durability.Key{Namespace: "/rooms", ID: strconv.Itoa(i)}, 0, durability.Filter{})
		t.must("list", err)
		if multi && len(entries) > 0 && (len(entries) != 2 || !sameDoc(entries[0].Doc, entries[1].Doc)) {
			t.Errorf("instance %d has half of a batch: %v", i, entries)
		}
	}
}

// operations are all that take a context, on one instance.
func (t *tester) operations() map[string]func(ctx context.Context) error {
	all := map[string]func(ctx context.Context) error{
		"put":    func(ctx context.Context) error { return t.store.Put(ctx, room, 4, object, row(`{"late":1}`)) },
		"delete": func(ctx context.Context) error { return t.store.Delete(ctx, room, 4, object) },
		"get":    func(ctx context.Context) error { _, _, err := t.store.Get(ctx, room, 4, object); return err },
		"list":   func(ctx context.Context) error { _, err := t.store.List(ctx, room, 4, durability.Filter{}); return err },
		"adopt":  func(ctx context.Context) error { return t.store.Adopt(ctx, room, 3, 4) },
	}
	if b, ok := t.store.(durability.Batcher); ok {
		all["apply"] = func(ctx context.Context) error { return b.Apply(ctx, room, 4, []durability.Op{put(object, 9)}) }
	}
	if m, ok := t.store.(durability.MultiBatcher); ok {
		all["apply all"] = func(ctx context.Context) error {
			errs := m.ApplyAll(ctx, []durability.Batch{{Key: room, Epoch: 4, Ops: []durability.Op{put(object, 9)}}, {Key: other, Ops: []durability.Op{put(object, 9)}}})
			if (errs[0] == nil) != (errs[1] == nil) {
				return fmt.Errorf("one of two batches went through: %v", errs)
			}
			return errs[0]
		}
	}
	if s, ok := t.store.(durability.Sweepable); ok {
		all["marked rows"] = func(ctx context.Context) error { _, err := s.MarkedRows(ctx, durability.Place{}, 1); return err }
		all["due alarms"] = func(ctx context.Context) error {
			_, err := s.DueAlarms(ctx, time.Now(), durability.Due{}, 1)
			return err
		}
		all["stored epoch"] = func(ctx context.Context) error { _, err := s.StoredEpoch(ctx, room); return err }
	}
	if e, ok := t.store.(durability.Exclusive); ok {
		all["hold"] = func(ctx context.Context) error { _, _, err := e.Hold(ctx); return err }
	}
	return all
}

// ends sends an operation until it fails with an error, and reports whether it did.
func ends(do func() error, with error) (bool, error) {
	var err error
	for range tries {
		if err = do(); errors.Is(err, with) {
			return true, err
		}
	}
	return false, err
}

func endedBefore(t *tester) {
	t.must("put", t.put(room, 3, object, row(`{"n":1}`)))
	t.must("put", t.put(other, 0, object, row(`{"n":1}`)))
	why := errors.New("the caller has gone")
	for name, do := range t.operations() {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		for _, with := range []error{context.Canceled, why} {
			if ok, err := ends(func() error { return do(ctx) }, with); !ok || judge(err) != unchanged {
				t.Errorf("%s with a cancelled context: %v, want an error that is %v", name, err, with)
			}
		}
		ctx, stop := context.WithTimeout(t.Context(), -time.Second)
		if ok, err := ends(func() error { return do(ctx) }, context.DeadlineExceeded); !ok || judge(err) != unchanged {
			t.Errorf("%s after its deadline: %v", name, err)
		}
		stop()
		t.verify(room)
		t.verify(other)
	}
}

// endedWithin ends contexts while writes run: what each ends with must be true.
func endedWithin(t *tester) {
	for n := range 60 {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(n*n)*time.Microsecond, cancel)
		p := put(object, n)
		sent := false
		t.must("put", t.write(room, 0, []durability.Op{p}, func() error {
			if sent {
				return t.store.Put(t.Context(), room, 0, p.Tray, p.Row)
			}
			sent = true
			return t.store.Put(ctx, room, 0, p.Tray, p.Row)
		}))
		timer.Stop()
		cancel()
	}
}

func endedAfter(t *tester) {
	ctx, cancel := context.WithCancel(t.Context())
	p := put(object, 1)
	t.must("put", t.write(room, 0, []durability.Op{p}, func() error { return t.store.Put(ctx, room, 0, p.Tray, p.Row) }))
	var entries []durability.Entry
	t.must("list", t.again("list", func() (err error) {
		entries, err = t.store.List(ctx, room, 0, durability.Filter{})
		return err
	}))
	cancel()
	if d := diff(t.at(room).entries(durability.Filter{}), entries); d != "" {
		t.Error(d)
	}
	t.verify(room)
	t.must("put", t.put(room, 0, object, row(`{"n":2}`)))
}

func closedStore(t *tester) {
	c, ok := t.store.(interface{ Close() error })
	if !ok {
		t.Skip("it has no method Close() error")
	}
	t.must("put", t.put(room, 3, object, row(`{"n":1}`)))
	var wg sync.WaitGroup
	var closed atomic.Bool
	for range 4 { // what runs while it is closed ends, one way or the other
		wg.Go(func() {
			for late := false; ; late = closed.Load() {
				if err := t.store.Put(t.Context(), other, 0, object, row(`{}`)); late || errors.Is(err, durability.ErrClosed) {
					return
				}
			}
		})
	}
	t.must("close", c.Close())
	closed.Store(true)
	wg.Wait()
	t.must("close again", c.Close())
	for name, do := range t.operations() {
		if ok, err := ends(func() error { return do(t.Context()) }, durability.ErrClosed); !ok || judge(err) != unchanged {
			t.Errorf("%s on a closed store: %v, want durability.ErrClosed", name, err)
		}
	}
	before := t.store
	if t.store = t.open(); t.store != before {
		t.verify(room)
	}
}

func sweepMarked(t *tester) {
	s, ok := t.store.(durability.Sweepable)
	if !ok {
		t.Skip("it isn't Sweepable")
	}
	var want []string
	for _, id := range []string{"B", "a", "b", "é"} {
		for _, ns := range []string{"mail", "pinned", "work"} {
			key, tray := durability.Key{Namespace: "/rooms", ID: id}, durability.Tray{Namespace: ns, ID: "~"}
			marked := ns == "work" || id == "b"
			t.must("put", t.put(key, 5, tray, durability.Row{Marked: marked, Doc: []byte("{}"), Hostname: "on " + id}))
			if marked {
				want = append(want, id+" "+ns+" * on "+id)
			}
		}
	}
	for limit := 1; limit < 9; limit++ {
		var got []string
		for after := (durability.Place{}); ; {
			var page []durability.Marked
			t.must("marked rows", t.again("sweep", func() (err error) {
				page, err = s.MarkedRows(t.Context(), after, limit)
				return err
			}))
			for _, m := range page {
				got = append(got, m.Key.ID+" "+m.Tray.Namespace+" "+m.Env+" "+m.Hostname)
				after = m.Place
			}
			if len(page) < limit || len(got) > len(want) {
				break
			}
			if len(page) > limit {
				t.Fatalf("%d rows, the limit is %d", len(page), limit)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("in pages of %d: %q, want %q", limit, got, want)
		}
	}
	for _, limit := range []int{0, -1} {
		t.must("marked rows", t.again("sweep", func() error {
			page, err := s.MarkedRows(t.Context(), durability.Place{}, limit)
			if len(page) > 0 {
				t.Errorf("with a limit of %d: %v", limit, page)
			}
			return err
		}))
	}
	t.must("put, unmarked", t.put(durability.Key{Namespace: "/rooms", ID: "B"}, 5, work, row("{}")))
	t.must("marked rows", t.again("sweep", func() error {
		page, err := s.MarkedRows(t.Context(), durability.Place{}, 1)
		if err == nil && (len(page) != 1 || page[0].Key.ID != "a") {
			t.Errorf("after the first was unmarked: %v", page)
		}
		return err
	}))
}

func sweepDue(t *tester) {
	s, ok := t.store.(durability.Sweepable)
	if !ok {
		t.Skip("it isn't Sweepable")
	}
	for id, doc := range map[string]string{
		"a": `{"due":3000}`, "B": `{"due":1000}`, "b": `{"due":2000}`, "c": `{"due":2000,"alarms":{}}`, "d": `{"due":9007199254740993}`,
		"of another shape": `{"due":"1"}`, "a fraction": `{"due":1.5}`, "null": `{"due":null}`, "none": `{}`, "another name": `{"Due":1}`,
	} {
		t.must("put", t.put(durability.Key{Namespace: "/rooms", ID: id}, 1, durability.AlarmTray, durability.Row{Doc: json.RawMessage(doc), Env: "of " + id}))
		t.must("put of another row", t.put(durability.Key{Namespace: "/rooms", ID: id}, 1, object, row(`{"due":1}`)))
	}
	for limit := 1; limit < 5; limit++ {
		for until, want := range map[int64][]string{
			999: nil, 1000: {"B 1000 of B"}, 2500: {"B 1000 of B", "b 2000 of b", "c 2000 of c"},
			1 << 60: {"B 1000 of B", "b 2000 of b", "c 2000 of c", "a 3000 of a", "d 9007199254740993 of d"},
		} {
			var got []string
			for after := (durability.Due{}); ; {
				var page []durability.Due
				t.must("due alarms", t.again("sweep", func() (err error) {
					page, err = s.DueAlarms(t.Context(), time.UnixMilli(until), after, limit)
					return err
				}))
				for _, d := range page {
					got = append(got, fmt.Sprintf("%s %d %s", d.Key.ID, d.At.UnixMilli(), d.Env))
					after = d
				}
				if len(page) < limit || len(got) > len(want) {
					break
				}
				if len(page) > limit {
					t.Fatalf("%d alarms, the limit is %d", len(page), limit)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("until %d in pages of %d: %q, want %q", until, limit, got, want)
			}
		}
	}
	t.must("due alarms", t.again("sweep", func() error {
		page, err := s.DueAlarms(t.Context(), time.UnixMilli(5000), durability.Due{}, 0)
		if len(page) > 0 {
			t.Errorf("with a limit of 0: %v", page)
		}
		return err
	}))
}

func sweepEpochs(t *tester) {
	s, ok := t.store.(durability.Sweepable)
	if !ok {
		t.Skip("it isn't Sweepable")
	}
	stored := func(want int64) {
		t.Helper()
		t.must("stored epoch", t.again("sweep", func() error {
			got, err := s.StoredEpoch(t.Context(), room)
			if err == nil && got != want {
				t.Errorf("the stored epoch is %d, want %d", got, want)
			}
			return err
		}))
	}
	stored(0)
	t.must("put", t.put(room, 3, object, row("{}")))
	stored(3)
	stored(3) // it is unfenced: asking changes nothing
	t.must("get", t.get(room, 5, object))
	stored(5)
	t.must("adopt", t.adopt(room, 5, 1<<40))
	stored(1 << 40)
	t.want("put at epoch 4", fenced, t.put(room, 4, object, row("{}")))
	stored(1 << 40)
}

func holding(t *tester) {
	a, ok := t.store.(durability.Exclusive)
	if !ok {
		t.Skip("it isn't Exclusive")
	}
	b := t.open().(durability.Exclusive)
	hold := func(e durability.Exclusive) (release func() error, err error) {
		for range tries {
			var warning string
			if release, warning, err = e.Hold(t.Context()); err == nil && warning != "" {
				t.Skip("it can't be held here: " + warning)
			}
			var used *durability.InUseError
			if err == nil || errors.As(err, &used) {
				break
			}
		}
		return release, err
	}
	release, err := hold(a)
	t.must("hold", err)
	var used *durability.InUseError
	if _, err := hold(b); !errors.As(err, &used) || used.Store == "" {
		t.Fatalf("a second hold: %v, want a *durability.InUseError that names the store", err)
	}
	t.must("put beside a hold", t.put(room, 0, object, row("{}")))
	for range 2 {
		t.must("release", release())
	}
	// A server may take a while to see that a session has ended.
	for range 500 {
		if release, err = hold(b); err == nil {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	t.must("hold after the release", err)
	t.must("release", release())
}
