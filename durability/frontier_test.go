package durability_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned/durability"
)

type text string

func (t text) AppendDoc(dst []byte) []byte { return fmt.Appendf(dst, `{"text":%q}`, string(t)) }

var (
	key  = durability.Key{Namespace: "/rooms", ID: "lobby"}
	tray = durability.Tray{Namespace: "pinned", ID: "object"}
)

// slowStore is a store whose batches take a while, are counted, and fail as it is told.
type slowStore struct {
	*durability.Memory

	took    time.Duration
	fail    func(b durability.Batch) error
	sent    atomic.Int32 // statements
	flying  atomic.Int32
	most    atomic.Int32
	applied func(key durability.Key)
}

func (s *slowStore) begin() func() {
	s.sent.Add(1)
	if n := s.flying.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	timer := time.NewTimer(s.took)
	<-timer.C
	return func() { s.flying.Add(-1) }
}

func (s *slowStore) Apply(ctx context.Context, key durability.Key, epoch int64, ops []durability.Op) error {
	defer s.begin()()
	return s.one(ctx, durability.Batch{Key: key, Epoch: epoch, Ops: ops})
}

func (s *slowStore) one(ctx context.Context, b durability.Batch) error {
	if s.fail != nil {
		if err := s.fail(b); err != nil {
			return err
		}
	}
	if s.applied != nil {
		s.applied(b.Key)
	}
	return s.Memory.Apply(ctx, b.Key, b.Epoch, b.Ops)
}

func (s *slowStore) ApplyAll(ctx context.Context, batches []durability.Batch) []error {
	defer s.begin()()
	errs := make([]error, len(batches))
	for i, b := range batches {
		errs[i] = s.one(ctx, b)
	}
	return errs
}

func flusher(t *testing.T, store durability.StateStore) *durability.Flusher {
	t.Helper()
	fl := durability.NewFlusher(store, durability.FlusherOptions{Env: "prod"})
	t.Cleanup(func() {
		if err := fl.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return fl
}

func stored(t *testing.T, m *durability.Memory, key durability.Key) string {
	t.Helper()
	row, ok, err := m.Get(t.Context(), key, 1<<62, tray)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return ""
	}
	return string(row.Doc)
}

func TestWritesOfManyTurnsShareAStatement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{Memory: durability.NewMemory(), took: time.Second}
		f := flusher(t, store).Frontier(key, 0, func(err error) { t.Error(err) })
		begin := time.Now()
		for n := range 100 {
			p := f.Enlist(durability.Write{Tray: tray, Doc: text(strconv.Itoa(n))})
			if p != int64(n+1) {
				t.Fatalf("position %d", p)
			}
			f.Seal()
			synctest.Wait()
		}
		if err := f.Wait(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		if n, took := store.sent.Load(), time.Since(begin); n != 2 || took != 2*time.Second {
			t.Errorf("%d statements in %v, want 2 in 2s", n, took)
		}
		if got := stored(t, store.Memory, key); got != `{"text":"99"}` || f.Durable() != 100 {
			t.Error(got, f.Durable())
		}
	})
}

func TestAWaiterWaitsForItsPositionOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{Memory: durability.NewMemory(), took: time.Second}
		f := flusher(t, store).Frontier(key, 0, nil)
		f.Enlist(durability.Write{Tray: tray, Doc: text("1")})
		f.Seal()
		synctest.Wait()
		f.Enlist(durability.Write{Tray: tray, Doc: text("2")})
		f.Seal()
		begin := time.Now()
		if err := f.Wait(t.Context(), 1); err != nil || time.Since(begin) != time.Second {
			t.Error(err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := f.Wait(ctx, 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := f.Barrier(t.Context()); err != nil || time.Since(begin) != 2*time.Second {
			t.Error(err, time.Since(begin))
		}
		if err := f.Wait(t.Context(), 0); err != nil {
			t.Error(err)
		}
	})
}

func TestAnOpenSegmentIsNeverFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := durability.NewMemory()
		f := flusher(t, store).Frontier(key, 0, nil)
		f.Enlist(durability.Write{Tray: tray, Doc: text("kept")})
		f.Seal()
		f.Enlist(durability.Write{Tray: tray, Doc: text("dropped")})
		if err := f.Wait(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		f.Discard()
		f.Seal()
		synctest.Wait()
		if got := stored(t, store, key); got != `{"text":"kept"}` {
			t.Error(got)
		}
	})
}

func TestAFailedFlushPoisonsItsInstanceAlone(t *testing.T) {
	for name, failure := range map[string]error{
		"fence":    &durability.FenceLost{Key: key, Epoch: 1, Stored: 2},
		"rejected": &durability.RejectedError{Key: key, Op: "put", Reason: "x"},
		"unknown":  &durability.UnknownError{Key: key, Op: "apply", Err: errors.New("x")},
		"other":    errors.New("no connection"),
		"locked":   durability.ErrLocked,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &slowStore{Memory: durability.NewMemory(), took: time.Second}
				var tries atomic.Int32
				store.fail = func(b durability.Batch) error {
					if b.Key != key {
						return nil
					}
					if tries.Add(1) == 1 || name != "locked" {
						return failure
					}
					return nil
				}
				fl := flusher(t, store)
				var failed atomic.Int32
				all := make([]*durability.Frontier, 10)
				for i := range all {
					k := durability.Key{Namespace: "/rooms", ID: strconv.Itoa(i)}
					if i == 5 {
						k = key
					}
					all[i] = fl.Frontier(k, 0, func(err error) {
						failed.Add(1)
						if i != 5 || !errors.Is(err, failure) {
							t.Error(i, err)
						}
					})
				}
				for range 3 {
					for _, f := range all {
						f.Enlist(durability.Write{Tray: tray, Doc: text("x")})
						f.Seal()
					}
				}
				for i, f := range all {
					err := f.Wait(t.Context(), 3)
					if i == 5 && name != "locked" {
						if !errors.Is(err, failure) || !errors.Is(f.Err(), failure) {
							t.Error(err)
						}
						f.Enlist(durability.Write{Tray: tray, Doc: text("late")})
						f.Seal()
						if err := f.Wait(t.Context(), f.Position()); !errors.Is(err, failure) {
							t.Error(err)
						}
					} else if err != nil {
						t.Error(i, err)
					}
				}
				if want := int32(1); name != "locked" && failed.Load() != want {
					t.Errorf("%d were told of a failure", failed.Load())
				}
			})
		})
	}
}

func TestBatchesCrossInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{Memory: durability.NewMemory(), took: 10 * time.Millisecond}
		fl := flusher(t, store)
		var wg sync.WaitGroup
		for i := range 1000 {
			f := fl.Frontier(durability.Key{Namespace: "/r", ID: strconv.Itoa(i)}, 0, func(err error) { t.Error(err) })
			f.Enlist(durability.Write{Tray: tray, Doc: text("x")})
			f.Seal()
			wg.Go(func() {
				if err := f.Wait(t.Context(), 1); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := store.sent.Load(); n > 1000/64+4 || store.most.Load() > 2 {
			t.Errorf("%d statements, %d at once", n, store.most.Load())
		}
	})
}

// single hides that a store takes batches.
type single struct{ durability.StateStore }

func TestRowsGoSinglyAndInOrderWithAPlainStore(t *testing.T) {
	m := durability.NewMemory()
	f := flusher(t, single{m}).Frontier(key, 3, func(err error) { t.Error(err) })
	f.Enlist(durability.Write{Tray: tray, Doc: text("x")})
	f.Enlist(durability.Write{Tray: durability.Tray{Namespace: "a", ID: "~"}, Marked: true, Doc: text("y")})
	f.Enlist(durability.Write{Tray: tray})
	f.Seal()
	if err := f.Barrier(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := m.List(t.Context(), key, 3, durability.Filter{})
	if err != nil || len(entries) != 1 || !entries[0].Marked || entries[0].Env != "prod" || entries[0].Hostname != "*" {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestAnEpochIsAdoptedUnlessSomebodyElseRanInBetween(t *testing.T) {
	m := durability.NewMemory()
	fl := flusher(t, m)
	f := fl.Frontier(key, 1, nil)
	f.Enlist(durability.Write{Tray: tray, Doc: text("x")})
	f.Seal()
	if err := f.Adopt(t.Context(), 5); err != nil || f.Epoch() != 5 {
		t.Fatal(err)
	}
	if err := f.Adopt(t.Context(), 4); err != nil || f.Epoch() != 5 {
		t.Error("a lower epoch was adopted", err)
	}
	if _, err := m.List(t.Context(), key, 6, durability.Filter{}); err != nil {
		t.Fatal(err)
	}
	var lost *durability.FenceLost
	if err := f.Adopt(t.Context(), 7); !errors.As(err, &lost) || !errors.As(f.Err(), &lost) {
		t.Error(err)
	}
}

func TestAnOpThatNoStoreKnowsIsRejected(t *testing.T) {
	var rejected *durability.RejectedError
	f := flusher(t, durability.NewMemory()).Frontier(key, 1, nil)
	f.EnlistOp(unknownOp{})
	f.Seal()
	if err := f.Barrier(t.Context()); !errors.As(err, &rejected) {
		t.Error(err)
	}
}

type unknownOp struct{}

func (unknownOp) Op() string { return "start" }

func BenchmarkFlush(b *testing.B) {
	store := &slowStore{Memory: durability.NewMemory(), took: time.Millisecond}
	fl := durability.NewFlusher(store, durability.FlusherOptions{})
	defer func() { _ = fl.Close(context.Background()) }()
	fs := make([]*durability.Frontier, 1000)
	locks := make([]sync.Mutex, len(fs))
	for i := range fs {
		fs[i] = fl.Frontier(durability.Key{Namespace: "/r", ID: strconv.Itoa(i)}, 0, nil)
	}
	b.ReportAllocs()
	b.SetParallelism(128)
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := int(n.Add(1)) % len(fs)
			locks[i].Lock()
			p := fs[i].Enlist(durability.Write{Tray: tray, Doc: text("x")})
			fs[i].Seal()
			locks[i].Unlock()
			if err := fs[i].Wait(context.Background(), p); err != nil {
				b.Error(err)
			}
		}
	})
}
