package storetest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinned-go/pinned/durability"
)

type (
	key   = durability.Key
	op    = durability.Op
	batch = durability.Batch
)

// sabotaged is a store with one fault. What isn't set is the sound store's.
type sabotaged struct {
	*durability.Memory

	put      func(ctx context.Context, k key, epoch int64, tray durability.Tray, row durability.Row) error
	remove   func(ctx context.Context, k key, epoch int64, tray durability.Tray) error
	apply    func(ctx context.Context, k key, epoch int64, ops []op) error
	applyAll func(ctx context.Context, batches []batch) []error
	get      func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error)
	list     func(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error)
	adopt    func(ctx context.Context, k key, from, to int64) error
	marked   func(ctx context.Context, after durability.Place, limit int) ([]durability.Marked, error)
	due      func(ctx context.Context, until time.Time, after durability.Due, limit int) ([]durability.Due, error)
	epoch    func(ctx context.Context, k key) (int64, error)
	hold     func(ctx context.Context) (func() error, string, error)
	close    func() error
}

func (s *sabotaged) Put(ctx context.Context, k key, epoch int64, tray durability.Tray, row durability.Row) error {
	if s.put != nil {
		return s.put(ctx, k, epoch, tray, row)
	}
	return s.Apply(ctx, k, epoch, []op{durability.Put{Tray: tray, Row: row}})
}

func (s *sabotaged) Delete(ctx context.Context, k key, epoch int64, tray durability.Tray) error {
	if s.remove != nil {
		return s.remove(ctx, k, epoch, tray)
	}
	return s.Apply(ctx, k, epoch, []op{durability.Delete{Tray: tray}})
}

func (s *sabotaged) Apply(ctx context.Context, k key, epoch int64, ops []op) error {
	if s.apply != nil {
		return s.apply(ctx, k, epoch, ops)
	}
	return s.Memory.Apply(ctx, k, epoch, ops)
}

func (s *sabotaged) ApplyAll(ctx context.Context, batches []batch) []error {
	if s.applyAll != nil {
		return s.applyAll(ctx, batches)
	}
	errs := make([]error, len(batches))
	for i, b := range batches {
		errs[i] = s.Apply(ctx, b.Key, b.Epoch, b.Ops)
	}
	return errs
}

func (s *sabotaged) Get(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
	if s.get != nil {
		return s.get(ctx, k, epoch, tray)
	}
	return s.Memory.Get(ctx, k, epoch, tray)
}

func (s *sabotaged) List(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
	if s.list != nil {
		return s.list(ctx, k, epoch, f)
	}
	return s.Memory.List(ctx, k, epoch, f)
}

func (s *sabotaged) Adopt(ctx context.Context, k key, from, to int64) error {
	if s.adopt != nil {
		return s.adopt(ctx, k, from, to)
	}
	return s.Memory.Adopt(ctx, k, from, to)
}

func (s *sabotaged) MarkedRows(ctx context.Context, after durability.Place, limit int) ([]durability.Marked, error) {
	if s.marked != nil {
		return s.marked(ctx, after, limit)
	}
	return s.Memory.MarkedRows(ctx, after, limit)
}

func (s *sabotaged) DueAlarms(ctx context.Context, until time.Time, after durability.Due, limit int) ([]durability.Due, error) {
	if s.due != nil {
		return s.due(ctx, until, after, limit)
	}
	return s.Memory.DueAlarms(ctx, until, after, limit)
}

func (s *sabotaged) StoredEpoch(ctx context.Context, k key) (int64, error) {
	if s.epoch != nil {
		return s.epoch(ctx, k)
	}
	return s.Memory.StoredEpoch(ctx, k)
}

func (s *sabotaged) Hold(ctx context.Context) (func() error, string, error) {
	if s.hold != nil {
		return s.hold(ctx)
	}
	return s.Memory.Hold(ctx)
}

func (s *sabotaged) Close() error {
	if s.close != nil {
		return s.close()
	}
	return s.Memory.Close()
}

// edit changes what is written.
func edit(s *sabotaged, f func(row durability.Row) durability.Row) {
	s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
		ops = slices.Clone(ops)
		for i, o := range ops {
			if p, ok := o.(durability.Put); ok && durability.CheckOps(k, o) == nil {
				p.Row = f(p.Row)
				ops[i] = p
			}
		}
		return s.Memory.Apply(ctx, k, epoch, ops)
	}
}

// filtered changes what is asked for.
func filtered(s *sabotaged, change func(f *durability.Filter)) {
	s.list = func(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
		change(&f)
		return s.Memory.List(ctx, k, epoch, f)
	}
}

// stored is the stored epoch, or the caller's where that is higher.
func stored(s *sabotaged, k key, epoch int64) int64 {
	at, _ := s.Memory.StoredEpoch(context.Background(), k)
	return max(at, epoch)
}

var sabotages = map[string]func(s *sabotaged){
	"puts are unfenced": func(s *sabotaged) {
		s.put = func(ctx context.Context, k key, epoch int64, tray durability.Tray, row durability.Row) error {
			return s.Memory.Put(ctx, k, stored(s, k, epoch), tray, row)
		}
	},
	"deletes are unfenced": func(s *sabotaged) {
		s.remove = func(ctx context.Context, k key, epoch int64, tray durability.Tray) error {
			return s.Memory.Delete(ctx, k, stored(s, k, epoch), tray)
		}
	},
	"batches are unfenced": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			return s.Memory.Apply(ctx, k, stored(s, k, epoch), ops)
		}
	},
	"batches of several are unfenced": func(s *sabotaged) {
		s.applyAll = func(ctx context.Context, batches []batch) []error {
			for i, b := range batches {
				batches[i].Epoch = stored(s, b.Key, b.Epoch)
			}
			return s.Memory.ApplyAll(ctx, batches)
		}
	},
	"gets are unfenced": func(s *sabotaged) {
		s.get = func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
			return s.Memory.Get(ctx, k, stored(s, k, epoch), tray)
		}
	},
	"lists are unfenced": func(s *sabotaged) {
		s.list = func(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
			return s.Memory.List(ctx, k, stored(s, k, epoch), f)
		}
	},
	"gets don't advance the epoch": func(s *sabotaged) {
		s.get = func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
			at, _ := s.Memory.StoredEpoch(ctx, k)
			return s.Memory.Get(ctx, k, min(epoch, at), tray)
		}
	},
	"lists don't advance the epoch": func(s *sabotaged) {
		s.list = func(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
			if at, _ := s.Memory.StoredEpoch(ctx, k); at < epoch {
				return s.Memory.List(ctx, k, at, f)
			}
			return s.Memory.List(ctx, k, epoch, f)
		}
	},
	"an empty batch isn't fenced": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			if len(ops) == 0 {
				return nil
			}
			return s.Memory.Apply(ctx, k, epoch, ops)
		}
	},
	"a write that is fenced moves the epoch back": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			err := s.Memory.Apply(ctx, k, epoch, ops)
			if judge(err) == fenced {
				entries, _ := s.Memory.List(ctx, k, stored(s, k, 0), durability.Filter{})
				fresh := durability.NewMemory()
				for _, e := range entries {
					_ = fresh.Put(ctx, k, epoch, e.Tray, e.Row)
				}
				s.Memory = fresh
			}
			return err
		}
	},
	"epochs have 32 bits": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			return s.Memory.Apply(ctx, k, int64(int32(epoch)), ops)
		}
	},
	"any epoch is adopted from": func(s *sabotaged) {
		s.adopt = func(ctx context.Context, k key, _, to int64) error {
			return s.Memory.Adopt(ctx, k, stored(s, k, 0), to)
		}
	},
	"a lower epoch is adopted from": func(s *sabotaged) {
		s.adopt = func(ctx context.Context, k key, from, to int64) error {
			if at := stored(s, k, 0); at < from {
				from = at
			}
			return s.Memory.Adopt(ctx, k, from, to)
		}
	},
	"adopting changes nothing": func(s *sabotaged) {
		s.adopt = func(ctx context.Context, k key, from, to int64) error {
			if from != stored(s, k, 0) {
				return s.Memory.Adopt(ctx, k, from, to)
			}
			return nil
		}
	},
	"a batch is applied up to what fails": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			if len(ops) == 0 {
				return s.Memory.Apply(ctx, k, epoch, ops)
			}
			for _, o := range ops {
				if err := s.Memory.Apply(ctx, k, epoch, []op{o}); err != nil {
					return err
				}
			}
			return nil
		}
	},
	"deletes go before puts": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			if err := durability.CheckOps(k, ops...); err != nil {
				return err
			}
			ops = slices.Clone(ops)
			slices.SortStableFunc(ops, func(a, b op) int { return cmp.Compare(a.Op(), b.Op()) })
			return s.Memory.Apply(ctx, k, epoch, ops)
		}
	},
	"unknown operations are left out": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			ops = slices.DeleteFunc(slices.Clone(ops), func(o op) bool { return o == op(otherOp{}) })
			return s.Memory.Apply(ctx, k, epoch, ops)
		}
	},
	"one batch that can't be fails all": func(s *sabotaged) {
		s.applyAll = func(ctx context.Context, batches []batch) []error {
			errs := s.Memory.ApplyAll(ctx, batches)
			for _, err := range errs {
				if judge(err) == rejected {
					return slices.Repeat([]error{err}, len(errs))
				}
			}
			return errs
		}
	},
	"a batch of several is forgotten": func(s *sabotaged) {
		s.applyAll = func(ctx context.Context, batches []batch) []error {
			if len(batches) < 3 {
				return s.Memory.ApplyAll(ctx, batches)
			}
			return append(s.Memory.ApplyAll(ctx, batches[1:]), nil)
		}
	},
	"ApplyAll waits for no one and returns too little": func(s *sabotaged) {
		s.applyAll = func(ctx context.Context, batches []batch) []error {
			return slices.DeleteFunc(s.Memory.ApplyAll(ctx, batches), func(err error) bool { return err == nil })
		}
	},
	"batches are half seen": func(s *sabotaged) {
		s.applyAll = func(ctx context.Context, batches []batch) []error {
			errs := make([]error, len(batches))
			for i := range 3 {
				for j, b := range batches {
					if i < len(b.Ops) && errs[j] == nil {
						errs[j] = s.Memory.Apply(ctx, b.Key, b.Epoch, b.Ops[i:i+1])
						<-time.After(time.Microsecond)
					}
				}
			}
			return errs
		}
	},
	"a given document is kept": func(s *sabotaged) {
		kept := map[key]durability.Row{}
		var mu sync.Mutex
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			err := s.Memory.Apply(ctx, k, epoch, ops)
			if len(ops) == 1 && err == nil {
				if p, ok := ops[0].(durability.Put); ok && p.Tray == object {
					mu.Lock()
					defer mu.Unlock()
					kept[k] = p.Row
				}
			}
			return err
		}
		s.get = func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
			row, ok, err := s.Memory.Get(ctx, k, epoch, tray)
			mu.Lock()
			defer mu.Unlock()
			if r, there := kept[k]; ok && there && tray == object {
				row.Doc = r.Doc
			}
			return row, ok, err
		}
	},
	"the stored document is handed out": func(s *sabotaged) {
		out := map[string]json.RawMessage{}
		var mu sync.Mutex
		s.get = func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
			row, ok, err := s.Memory.Get(ctx, k, epoch, tray)
			mu.Lock()
			defer mu.Unlock()
			if doc, there := out[string(row.Doc)]; there {
				row.Doc = doc
			} else {
				out[string(row.Doc)] = row.Doc
			}
			return row, ok, err
		}
	},
	"ids are folded": func(s *sabotaged) {
		fold := func(k key) key { return key{Namespace: k.Namespace, ID: strings.ToLower(k.ID)} }
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			return s.Memory.Apply(ctx, fold(k), epoch, ops)
		}
		s.list = func(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
			return s.Memory.List(ctx, fold(k), epoch, f)
		}
	},
	"numbers are floats": func(s *sabotaged) {
		edit(s, func(row durability.Row) durability.Row {
			var v any
			if json.Unmarshal(row.Doc, &v) == nil {
				row.Doc, _ = json.Marshal(v)
			}
			return row
		})
	},
	"NULs are dropped": func(s *sabotaged) {
		edit(s, func(row durability.Row) durability.Row {
			row.Doc = bytes.ReplaceAll(row.Doc, []byte(`\u0000`), nil)
			return row
		})
	},
	"long documents are cut": func(s *sabotaged) {
		edit(s, func(row durability.Row) durability.Row {
			if len(row.Doc) > 1<<19 {
				row.Doc = []byte("{}")
			}
			return row
		})
	},
	"marks are lost":   func(s *sabotaged) { edit(s, func(r durability.Row) durability.Row { r.Marked = false; return r }) },
	"envs are lost":    func(s *sabotaged) { edit(s, func(r durability.Row) durability.Row { r.Env = ""; return r }) },
	"places are empty": func(s *sabotaged) { s.get = emptyPlaces(s) },
	"documents needn't be objects": func(s *sabotaged) {
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			ops = slices.Clone(ops)
			for i, o := range ops {
				if p, ok := o.(durability.Put); ok && json.Valid(p.Row.Doc) && bytes.HasPrefix(p.Row.Doc, []byte("[")) {
					p.Row.Doc = []byte(`{"list":1}`)
					ops[i] = p
				}
			}
			return s.Memory.Apply(ctx, k, epoch, ops)
		}
	},
	"rows are in no order": func(s *sabotaged) {
		s.list = func(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
			entries, err := s.Memory.List(ctx, k, epoch, f)
			slices.Reverse(entries)
			return entries, err
		}
	},
	"rows are in the order of UTF-16": func(s *sabotaged) {
		s.list = func(ctx context.Context, k key, epoch int64, f durability.Filter) ([]durability.Entry, error) {
			entries, err := s.Memory.List(ctx, k, epoch, f)
			slices.SortStableFunc(entries, func(a, b durability.Entry) int {
				return strings.Compare(strings.ReplaceAll(a.Tray.ID, "\U0001f600", "\ud7ff"), strings.ReplaceAll(b.Tray.ID, "\U0001f600", "\ud7ff"))
			})
			return entries, err
		}
	},
	"limits are ignored":   func(s *sabotaged) { filtered(s, func(f *durability.Filter) { f.Limit = 0 }) },
	"prefixes are ignored": func(s *sabotaged) { filtered(s, func(f *durability.Filter) { f.Prefix = "" }) },
	"prefixes are patterns": func(s *sabotaged) {
		filtered(s, func(f *durability.Filter) { f.Prefix = strings.TrimRight(f.Prefix, "_%") })
	},
	"places are ignored":      func(s *sabotaged) { filtered(s, func(f *durability.Filter) { f.After = "" }) },
	"marks aren't filtered":   func(s *sabotaged) { filtered(s, func(f *durability.Filter) { f.Marked = nil }) },
	"marked rows need a name": func(s *sabotaged) { filtered(s, func(f *durability.Filter) { f.OrMarked = false }) },
	"no namespaces are all": func(s *sabotaged) {
		filtered(s, func(f *durability.Filter) { f.Namespaces = slices.Clip(append([]string(nil), f.Namespaces...)) })
	},
	"a write that failed was one": func(s *sabotaged) {
		var n atomic.Int32
		s.put = func(ctx context.Context, k key, epoch int64, tray durability.Tray, row durability.Row) error {
			err := s.Memory.Put(ctx, k, epoch, tray, row)
			if n.Add(1) == 2 && err == nil {
				return errors.New("refused, or so it says")
			}
			return err
		}
	},
	"an unknown write was half of one": func(s *sabotaged) {
		var n atomic.Int32
		s.apply = func(ctx context.Context, k key, epoch int64, ops []op) error {
			if n.Add(1)%3 == 0 && len(ops) > 2 && s.Memory.Apply(ctx, k, epoch, ops[:1]) == nil {
				return &durability.UnknownError{Key: k, Op: "apply", Err: errors.New("the connection broke")}
			}
			return s.Memory.Apply(ctx, k, epoch, ops)
		}
	},
	"errors call it a lost fence": func(s *sabotaged) {
		var n atomic.Int32
		s.put = func(ctx context.Context, k key, epoch int64, tray durability.Tray, row durability.Row) error {
			if n.Add(1) == 2 {
				return &durability.FenceLost{Key: k, Epoch: epoch}
			}
			return s.Memory.Put(ctx, k, epoch, tray, row)
		}
	},
	"a FenceLost names another": func(s *sabotaged) {
		s.put = func(ctx context.Context, k key, epoch int64, tray durability.Tray, row durability.Row) error {
			err := s.Memory.Put(ctx, k, epoch, tray, row)
			if judge(err) == fenced {
				return &durability.FenceLost{Epoch: epoch}
			}
			return err
		}
	},
	"contexts are ignored": func(s *sabotaged) {
		s.apply = func(_ context.Context, k key, epoch int64, ops []op) error {
			return s.Memory.Apply(context.Background(), k, epoch, ops)
		}
	},
	"a write goes on after its context": func(s *sabotaged) {
		s.put = func(ctx context.Context, k key, epoch int64, tray durability.Tray, row durability.Row) error {
			err := s.Memory.Put(context.WithoutCancel(ctx), k, epoch, tray, row)
			return cmp.Or(durability.ContextError(ctx), err)
		}
	},
	"the cause of a context is lost": func(s *sabotaged) {
		s.get = func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
			if ctx.Err() != nil {
				return durability.Row{}, false, ctx.Err()
			}
			return s.Memory.Get(ctx, k, epoch, tray)
		}
	},
	"a closed store is open": func(s *sabotaged) { s.close = func() error { return nil } },
	"closing twice fails": func(s *sabotaged) {
		var closed bool
		s.close = func() error {
			if closed {
				return errors.New("closed already")
			}
			closed = true
			return s.Memory.Close()
		}
	},
	"marked rows begin afresh": func(s *sabotaged) {
		s.marked = func(ctx context.Context, after durability.Place, limit int) ([]durability.Marked, error) {
			after.Tray = durability.Tray{}
			all, err := s.Memory.MarkedRows(ctx, after, limit)
			return all[:min(len(all), 1)], err
		}
	},
	"no limit is all marked rows": func(s *sabotaged) {
		s.marked = func(ctx context.Context, after durability.Place, limit int) ([]durability.Marked, error) {
			if limit < 1 {
				limit = 1 << 20
			}
			return s.Memory.MarkedRows(ctx, after, limit)
		}
	},
	"marked rows have no place": func(s *sabotaged) {
		s.marked = func(ctx context.Context, after durability.Place, limit int) ([]durability.Marked, error) {
			all, err := s.Memory.MarkedRows(ctx, after, limit)
			for i := range all {
				all[i].Hostname = "*"
			}
			return all, err
		}
	},
	"alarms are due too early": func(s *sabotaged) {
		s.due = func(ctx context.Context, until time.Time, after durability.Due, limit int) ([]durability.Due, error) {
			return s.Memory.DueAlarms(ctx, until.Add(time.Millisecond), after, limit)
		}
	},
	"alarms of one time come once": func(s *sabotaged) {
		s.due = func(ctx context.Context, until time.Time, after durability.Due, limit int) ([]durability.Due, error) {
			if after != (durability.Due{}) {
				after.Key = key{Namespace: "\U0010ffff"}
			}
			return s.Memory.DueAlarms(ctx, until, after, limit)
		}
	},
	"a stored epoch is one of a row": func(s *sabotaged) {
		s.epoch = func(ctx context.Context, k key) (int64, error) {
			epoch, err := s.Memory.StoredEpoch(ctx, k)
			return min(epoch, 5), err
		}
	},
	"asking for the epoch moves it": func(s *sabotaged) {
		s.epoch = func(ctx context.Context, k key) (int64, error) {
			epoch, err := s.Memory.StoredEpoch(ctx, k)
			if epoch > 0 && err == nil {
				err = s.Memory.Adopt(ctx, k, epoch, epoch+1)
			}
			return epoch, err
		}
	},
	"two hold it": func(s *sabotaged) {
		s.hold = func(context.Context) (func() error, string, error) { return func() error { return nil }, "", nil }
	},
	"a hold stays": func(s *sabotaged) {
		s.hold = func(ctx context.Context) (func() error, string, error) {
			_, warning, err := s.Memory.Hold(ctx)
			return func() error { return nil }, warning, err
		}
	},
	"a release is one of the next hold": func(s *sabotaged) {
		s.hold = func(ctx context.Context) (func() error, string, error) {
			release, warning, err := s.Memory.Hold(ctx)
			released := false
			return func() error {
				if released {
					return errors.New("it isn't held")
				}
				released = true
				return release()
			}, warning, err
		}
	},
}

func emptyPlaces(s *sabotaged) func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
	return func(ctx context.Context, k key, epoch int64, tray durability.Tray) (durability.Row, bool, error) {
		row, ok, err := s.Memory.Get(ctx, k, epoch, tray)
		row.Hostname = strings.Trim(row.Hostname, "*")
		return row, ok, err
	}
}

// TestEveryFaultOfAStoreIsFound sees to it that each check can fail.
func TestEveryFaultOfAStoreIsFound(t *testing.T) {
	for name, sabotage := range sabotages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range checks {
				s := &sabotaged{Memory: durability.NewMemory()}
				sabotage(s)
				failure := try(t.Context(), c, func() durability.StateStore { return s })
				if failure != "" {
					t.Logf("%s: %s", c.name, failure)
					return
				}
			}
			t.Error("no check failed")
		})
	}
}

// TestAStoreThatForgetsIsFound opens another one each time.
func TestAStoreThatForgetsIsFound(t *testing.T) {
	for _, c := range checks {
		if c.name == "rows/reopened" {
			if failure := try(t.Context(), c, func() durability.StateStore { return durability.NewMemory() }); failure == "" {
				t.Error("no check failed")
			}
			return
		}
	}
	t.Error("there is no such check")
}
