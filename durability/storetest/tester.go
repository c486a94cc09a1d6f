package storetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/durability"
)

// tester drives a store as a careful caller would, and holds it against a model: after
// each write the instance is read back, and what an error tells of it is checked. What
// failed without effect is sent again, and so is what an unknown write proves to have
// lost.
type tester struct {
	testing.TB

	store durability.StateStore
	open  func() durability.StateStore // another handle on the same rows
	model map[durability.Key]*instance
}

type instance struct {
	epoch int64
	rows  map[durability.Tray]durability.Row
}

// tries is how often something is sent that fails without effect.
const tries = 5

func (t *tester) at(key durability.Key) *instance {
	if t.model[key] == nil {
		t.model[key] = &instance{rows: map[durability.Tray]durability.Row{}}
	}
	return t.model[key]
}

// verdict is what an error tells of a write.
type verdict int

const (
	done verdict = iota
	fenced
	rejected
	unknown
	unchanged
)

func judge(err error) verdict {
	var lost *durability.FenceLost
	var refused *durability.RejectedError
	var not *durability.UnknownError
	switch {
	case err == nil:
		return done
	case errors.As(err, &lost):
		return fenced
	case errors.As(err, &refused):
		return rejected
	case errors.As(err, &not):
		return unknown
	}
	return unchanged
}

// put writes one row.
func (t *tester) put(key durability.Key, epoch int64, tray durability.Tray, row durability.Row) error {
	t.Helper()
	return t.write(key, epoch, []durability.Op{durability.Put{Tray: tray, Row: row}}, func() error {
		return t.store.Put(t.Context(), key, epoch, tray, row)
	})
}

// remove deletes one row.
func (t *tester) remove(key durability.Key, epoch int64, tray durability.Tray) error {
	t.Helper()
	return t.write(key, epoch, []durability.Op{durability.Delete{Tray: tray}}, func() error {
		return t.store.Delete(t.Context(), key, epoch, tray)
	})
}

// apply writes a batch, or its rows one by one with a store that has none.
func (t *tester) apply(key durability.Key, epoch int64, ops ...durability.Op) error {
	t.Helper()
	if b, ok := t.store.(durability.Batcher); ok {
		return t.write(key, epoch, ops, func() error { return b.Apply(t.Context(), key, epoch, ops) })
	}
	for _, op := range ops {
		var err error
		switch op := op.(type) {
		case durability.Put:
			err = t.put(key, epoch, op.Tray, op.Row)
		case durability.Delete:
			err = t.remove(key, epoch, op.Tray)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// applyAll writes the batches of several instances, and those by themselves that failed
// without effect.
func (t *tester) applyAll(batches ...durability.Batch) []error {
	t.Helper()
	m, ok := t.store.(durability.MultiBatcher)
	var errs []error
	if ok {
		if errs = m.ApplyAll(t.Context(), slices.Clone(batches)); len(errs) != len(batches) {
			t.Fatalf("ApplyAll returned %d errors for %d batches", len(errs), len(batches))
		}
	}
	results := make([]error, len(batches))
	for i, b := range batches {
		first := ok
		results[i] = t.write(b.Key, b.Epoch, b.Ops, func() error {
			if first {
				first = false
				return errs[i]
			}
			return t.store.(durability.Batcher).Apply(t.Context(), b.Key, b.Epoch, b.Ops)
		})
	}
	return results
}

// adopt moves the epoch.
func (t *tester) adopt(key durability.Key, from, to int64) error {
	t.Helper()
	in := t.at(key)
	for range tries {
		err := t.store.Adopt(t.Context(), key, from, to)
		switch judge(err) {
		case done:
			if in.epoch != from {
				t.Fatalf("adopt from %d to %d succeeded, the stored epoch was %d", from, to, in.epoch)
			}
			in.epoch = to
			t.verify(key)
			return nil
		case fenced:
			if in.epoch == from {
				t.Fatalf("adopt from %d to %d, with %[1]d stored: %v", from, to, err)
			}
			t.names(err, key, from)
			t.verify(key)
			return err
		case rejected:
			t.verify(key)
			return err
		case unknown:
			if in.epoch == from && to > from {
				if _, err := t.read(key, from, durability.Filter{}); judge(err) == fenced {
					in.epoch = to
					t.verify(key)
					return nil // the epoch has moved
				}
			}
		case unchanged:
		}
		t.verify(key)
	}
	t.Fatalf("adopt from %d to %d fails again and again", from, to)
	return nil
}

// write sends a write of one instance until it has an effect or surely never will, and
// returns nil or what it ended with.
func (t *tester) write(key durability.Key, epoch int64, ops []durability.Op, send func() error) error {
	t.Helper()
	in := t.at(key)
	for range tries {
		err := send()
		switch judge(err) {
		case done:
			if epoch < in.epoch {
				t.Fatalf("%s: a write at epoch %d succeeded, and %d is stored", key, epoch, in.epoch)
			}
			in.apply(epoch, ops)
			t.verify(key)
			return nil
		case fenced:
			if epoch >= in.epoch {
				t.Fatalf("%s: a write at epoch %d, with %d stored: %v", key, epoch, in.epoch, err)
			}
			t.names(err, key, epoch)
			t.verify(key)
			return err
		case rejected:
			t.verify(key)
			return err
		case unknown:
			if t.took(key, epoch, ops) {
				return nil
			}
		case unchanged:
			t.verify(key)
		}
		if err := t.Context().Err(); err != nil {
			return err
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Fatalf("%s: a write fails again and again: %v", key, send())
	return nil
}

// took finds out whether a write whose outcome is unknown took effect.
func (t *tester) took(key durability.Key, epoch int64, ops []durability.Op) bool {
	t.Helper()
	in := t.at(key)
	if epoch < in.epoch {
		t.verify(key)
		return false
	}
	after := &instance{in.epoch, maps.Clone(in.rows)}
	after.apply(epoch, ops)
	entries, err := t.read(key, epoch, durability.Filter{})
	if err != nil {
		t.Fatalf("%s: a read at epoch %d after an unknown write: %v", key, epoch, err)
	}
	in.epoch = epoch
	switch {
	case diff(in.entries(durability.Filter{}), entries) == "":
		return false
	case diff(after.entries(durability.Filter{}), entries) != "":
		t.Fatalf("%s: a write was half done: %v", key, entries)
	}
	*in = *after
	return true
}

// names checks that a FenceLost tells whose it is.
func (t *tester) names(err error, key durability.Key, epoch int64) {
	t.Helper()
	var lost *durability.FenceLost
	errors.As(err, &lost)
	if lost.Key != key || lost.Epoch != epoch || lost.Stored != 0 && lost.Stored != t.at(key).epoch {
		t.Errorf("the FenceLost %+v is of %s at epoch %d with %d stored", *lost, key, epoch, t.at(key).epoch)
	}
}

// read lists rows; what fails without effect is done again.
func (t *tester) read(key durability.Key, epoch int64, f durability.Filter) (entries []durability.Entry, err error) {
	t.Helper()
	err = t.again("list", func() error {
		entries, err = t.store.List(t.Context(), key, epoch, f)
		return err
	})
	return entries, err
}

// again does a read until it succeeds or ends with an error that says why it never will.
func (t *tester) again(op string, do func() error) (err error) {
	t.Helper()
	for range tries {
		switch err = do(); judge(err) {
		case done, fenced, rejected:
			return err
		case unknown:
			t.Fatalf("a %s ended with an UnknownError, which is of writes only: %v", op, err)
		case unchanged:
		}
	}
	t.Fatalf("a %s fails again and again: %v", op, err)
	return nil
}

// list reads rows, and checks them.
func (t *tester) list(key durability.Key, epoch int64, f durability.Filter) error {
	t.Helper()
	in := t.at(key)
	entries, err := t.read(key, epoch, f)
	if !t.reads(key, epoch, err) {
		return err
	}
	if d := diff(in.entries(f), entries); d != "" {
		t.Errorf("%s: list of %+v: %s", key, f, d)
	}
	return nil
}

// get reads a row, and checks it.
func (t *tester) get(key durability.Key, epoch int64, tray durability.Tray) error {
	t.Helper()
	var row durability.Row
	var ok bool
	err := t.again("get", func() (err error) {
		row, ok, err = t.store.Get(t.Context(), key, epoch, tray)
		return err
	})
	if !t.reads(key, epoch, err) {
		return err
	}
	want, there := t.at(key).rows[tray]
	if ok != there || ok && !sameRow(row, want) {
		t.Errorf("%s: get of %s returned %+v, %v, want %+v, %v", key, tray, row, ok, want, there)
	}
	return nil
}

// reads judges a read by the fence, and advances the model's epoch.
func (t *tester) reads(key durability.Key, epoch int64, err error) bool {
	t.Helper()
	in := t.at(key)
	if err != nil {
		if judge(err) == fenced {
			if epoch >= in.epoch {
				t.Fatalf("%s: a read at epoch %d, with %d stored: %v", key, epoch, in.epoch, err)
			}
			t.names(err, key, epoch)
		}
		return false
	}
	if epoch < in.epoch {
		t.Fatalf("%s: a read at epoch %d succeeded, and %d is stored", key, epoch, in.epoch)
	}
	in.epoch = epoch
	return true
}

// verify reads an instance back: all its rows, and that its epoch is the model's.
func (t *tester) verify(key durability.Key) {
	t.Helper()
	in := t.at(key)
	entries, err := t.read(key, in.epoch, durability.Filter{})
	if err != nil {
		t.Fatalf("%s: a read at epoch %d, which must be the stored one: %v", key, in.epoch, err)
	}
	if d := diff(in.entries(durability.Filter{}), entries); d != "" {
		t.Fatalf("%s: %s", key, d)
	}
	if in.epoch > 0 {
		if _, err := t.read(key, in.epoch-1, durability.Filter{}); err == nil {
			t.Fatalf("%s: the stored epoch is below %d", key, in.epoch)
		}
	}
}

func (in *instance) apply(epoch int64, ops []durability.Op) {
	in.epoch = epoch
	for _, op := range ops {
		switch op := op.(type) {
		case durability.Put:
			row := op.Row
			row.Doc = bytes.Clone(row.Doc)
			row.Env, row.Hostname = cmp.Or(row.Env, "*"), cmp.Or(row.Hostname, "*")
			in.rows[op.Tray] = row
		case durability.Delete:
			delete(in.rows, op.Tray)
		}
	}
}

// entries are the rows that a filter selects, in their order.
func (in *instance) entries(f durability.Filter) []durability.Entry {
	var entries []durability.Entry
	for tray, row := range in.rows {
		named := f.Namespaces == nil || slices.Contains(f.Namespaces, tray.Namespace) || f.OrMarked && row.Marked
		if named && (f.Marked == nil || *f.Marked == row.Marked) && strings.HasPrefix(tray.ID, f.Prefix) && (f.After == "" || tray.ID > f.After) {
			entries = append(entries, durability.Entry{Tray: tray, Row: row})
		}
	}
	slices.SortFunc(entries, func(a, b durability.Entry) int {
		return cmp.Or(strings.Compare(a.Tray.Namespace, b.Tray.Namespace), strings.Compare(a.Tray.ID, b.Tray.ID))
	})
	if f.Limit > 0 {
		entries = entries[:min(f.Limit, len(entries))]
	}
	return entries
}

// diff says how what was read differs from what must be there.
func diff(want, got []durability.Entry) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("row %s isn't there, of %d", want[i].Tray, len(want))
		case i >= len(want):
			return fmt.Sprintf("row %s is there beside the %d that were written", got[i].Tray, len(want))
		case want[i].Tray != got[i].Tray:
			return fmt.Sprintf("row %d is %s, want %s", i, got[i].Tray, want[i].Tray)
		case !sameRow(want[i].Row, got[i].Row):
			return fmt.Sprintf("row %s is %s, want %s", got[i].Tray, show(got[i].Row), show(want[i].Row))
		}
	}
	return ""
}

func show(row durability.Row) string {
	const most = 200
	doc := string(row.Doc)
	if len(doc) > most {
		doc = fmt.Sprintf("%s… (%d bytes)", doc[:most], len(doc))
	}
	return fmt.Sprintf("{marked %v, env %q, hostname %q, %s}", row.Marked, row.Env, row.Hostname, doc)
}

func sameRow(a, b durability.Row) bool {
	return a.Marked == b.Marked && a.Env == b.Env && a.Hostname == b.Hostname && sameDoc(a.Doc, b.Doc)
}

// sameDoc compares documents decoded: the order of keys and the spelling of numbers don't
// count.
func sameDoc(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := decode(a)
	if err != nil {
		return false
	}
	y, err := decode(b)
	return err == nil && sameValue(x, y)
}

func decode(doc json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	return v, d.Decode(&v)
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameValue)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || sameNumber(a.String(), b.String()))
	}
	return a == b
}

func sameNumber(a, b string) bool {
	x, ok := new(big.Rat).SetString(a)
	y, too := new(big.Rat).SetString(b)
	return ok && too && x.Cmp(y) == 0
}
