package durability

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pinned-go/pinned/internal/fault"
)

var (
	_ MultiBatcher = (*Memory)(nil)
	_ Sweepable    = (*Memory)(nil)
	_ Exclusive    = (*Memory)(nil)
	_ Private      = (*Memory)(nil)
)

// Memory is a store whose rows end with the process. It is a MultiBatcher, Sweepable
// and Exclusive.
type Memory struct {
	mu        sync.Mutex
	instances map[Key]*memoryInstance
	closed    bool
	held      bool
}

type memoryInstance struct {
	epoch int64
	rows  map[Tray]Row
}

// NewMemory makes an empty store.
func NewMemory() *Memory { return &Memory{instances: map[Key]*memoryInstance{}} }

// Clone is a copy of the store, as another process would find it.
func (m *Memory) Clone() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := NewMemory()
	for key, in := range m.instances {
		c.instances[key] = &memoryInstance{in.epoch, maps.Clone(in.rows)}
	}
	return c
}

// Close closes the store: what follows fails with ErrClosed.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// acquire is the beginning of every fenced operation. mu must be held.
func (m *Memory) acquire(ctx context.Context, key Key, epoch int64, op string) (*memoryInstance, error) {
	if err := m.usable(ctx); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", key, op, err)
	}
	if err := CheckOps(key); err != nil {
		return nil, err
	}
	if epoch < 0 {
		return nil, &RejectedError{Key: key, Op: op, Reason: fmt.Sprintf("the epoch %d is negative", epoch)}
	}
	in := m.instances[key]
	if in == nil {
		in = &memoryInstance{rows: map[Tray]Row{}}
		m.instances[key] = in
	}
	if fault.Is(fault.FenceDropped) || fault.Is(fault.ReadsUnfenced) && (op == "get" || op == "list") {
		return in, nil
	}
	if in.epoch > epoch {
		return nil, &FenceLost{Key: key, Epoch: epoch, Stored: in.epoch}
	}
	in.epoch = epoch
	return in, nil
}

func (m *Memory) usable(ctx context.Context) error {
	if m.closed {
		return ErrClosed
	}
	return ContextError(ctx)
}

// Put implements StateStore.
func (m *Memory) Put(ctx context.Context, key Key, epoch int64, tray Tray, row Row) error {
	return m.Apply(ctx, key, epoch, []Op{Put{tray, row}})
}

// Delete implements StateStore.
func (m *Memory) Delete(ctx context.Context, key Key, epoch int64, tray Tray) error {
	return m.Apply(ctx, key, epoch, []Op{Delete{tray}})
}

// Apply implements Batcher.
func (m *Memory) Apply(ctx context.Context, key Key, epoch int64, ops []Op) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return fmt.Errorf("%s: apply: %w", key, err)
	}
	if err := CheckOps(key, ops...); err != nil {
		return err
	}
	in, err := m.acquire(ctx, key, epoch, "apply")
	if err != nil {
		return err
	}
	for _, op := range ops {
		switch op := op.(type) {
		case Put:
			row := op.Row
			row.Doc = bytes.Clone(row.Doc)
			row.Env, row.Hostname = cmp.Or(row.Env, "*"), cmp.Or(row.Hostname, "*")
			in.rows[op.Tray] = row
		case Delete:
			delete(in.rows, op.Tray)
		}
	}
	return nil
}

// CheckOps finds, before anything is written, what no store of this module holds: a
// document that isn't one JSON object in UTF-8, a name that isn't UTF-8 or has a NUL, and
// an operation that is neither a Put nor a Delete. Without operations it looks at the key
// alone.
func CheckOps(key Key, ops ...Op) error {
	if reason := checkNames(key.Namespace, key.ID); reason != "" {
		return &RejectedError{Key: key, Op: "everything", Reason: reason}
	}
	for _, op := range ops {
		var tray Tray
		var reason string
		switch op := op.(type) {
		case Put:
			tray, reason = op.Tray, checkDoc(op.Row.Doc)
		case Delete:
			tray = op.Tray
		case nil:
			return &RejectedError{Key: key, Op: "nil", Reason: "there is no operation"}
		default:
			return &RejectedError{Key: key, Op: op.Op(), Reason: "the store has no such operation"}
		}
		if bad := checkNames(tray.Namespace, tray.ID); bad != "" {
			reason = bad
		}
		if reason != "" {
			return &RejectedError{Key: key, Tray: tray, Op: op.Op(), Reason: reason}
		}
	}
	return nil
}

func checkNames(names ...string) string {
	for _, name := range names {
		if !utf8.ValidString(name) || strings.Contains(name, "\x00") {
			return fmt.Sprintf("the name %q isn't UTF-8, or has a NUL", name)
		}
	}
	return ""
}

func checkDoc(doc json.RawMessage) string {
	switch trimmed := bytes.TrimLeft(doc, " \t\r\n"); {
	case len(trimmed) == 0 || trimmed[0] != '{':
		return "the document isn't a JSON object"
	case !utf8.Valid(doc):
		return "the document isn't UTF-8"
	case !json.Valid(doc):
		return "the document isn't JSON"
	}
	return ""
}

// ApplyAll implements MultiBatcher.
func (m *Memory) ApplyAll(ctx context.Context, batches []Batch) []error {
	errs := make([]error, len(batches))
	for i, b := range batches {
		errs[i] = m.Apply(ctx, b.Key, b.Epoch, b.Ops)
	}
	return errs
}

// Get implements StateStore.
func (m *Memory) Get(ctx context.Context, key Key, epoch int64, tray Tray) (Row, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	in, err := m.acquire(ctx, key, epoch, "get")
	if err != nil {
		return Row{}, false, err
	}
	row, ok := in.rows[tray]
	row.Doc = bytes.Clone(row.Doc)
	return row, ok, nil
}

// List implements StateStore.
func (m *Memory) List(ctx context.Context, key Key, epoch int64, filter Filter) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	in, err := m.acquire(ctx, key, epoch, "list")
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for tray, row := range in.rows {
		if filter.Selects(tray, row.Marked) {
			row.Doc = bytes.Clone(row.Doc)
			entries = append(entries, Entry{tray, row})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return a.Tray.compare(b.Tray) })
	if filter.Limit > 0 && len(entries) > filter.Limit {
		entries = entries[:filter.Limit]
	}
	return entries, nil
}

// Selects reports whether the filter selects a row, its limit left out.
func (f Filter) Selects(tray Tray, marked bool) bool {
	if f.Namespaces != nil && !slices.Contains(f.Namespaces, tray.Namespace) && (!f.OrMarked || !marked) {
		return false
	}
	return (f.Marked == nil || *f.Marked == marked) && strings.HasPrefix(tray.ID, f.Prefix) && (f.After == "" || tray.ID > f.After)
}

// Adopt implements StateStore.
func (m *Memory) Adopt(ctx context.Context, key Key, from, to int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return fmt.Errorf("%s: adopt: %w", key, err)
	}
	if err := CheckOps(key); err != nil {
		return err
	}
	if from < 0 || to <= from {
		return &RejectedError{Key: key, Op: "adopt", Reason: fmt.Sprintf("no epoch is adopted from %d to %d", from, to)}
	}
	in := m.instances[key]
	if in == nil {
		in = &memoryInstance{rows: map[Tray]Row{}}
	}
	if in.epoch != from && !fault.Is(fault.AdoptAnyway) {
		return &FenceLost{Key: key, Epoch: from, Stored: in.epoch}
	}
	in.epoch = to
	m.instances[key] = in
	return nil
}

// MarkedRows implements Sweepable.
func (m *Memory) MarkedRows(ctx context.Context, after Place, limit int) ([]Marked, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return nil, fmt.Errorf("marked rows: %w", err)
	}
	var all []Marked
	for key, in := range m.instances {
		for tray, row := range in.rows {
			if p := (Place{key, tray}); row.Marked && p.compare(after) > 0 {
				all = append(all, Marked{p, row.Env, row.Hostname})
			}
		}
	}
	slices.SortFunc(all, func(a, b Marked) int { return a.compare(b.Place) })
	return all[:min(max(limit, 0), len(all))], nil
}

// AlarmTray is the row of an instance's alarms (durability contract, section 6).
var AlarmTray = Tray{"pinned", "alarm"}

// DueAlarms implements Sweepable.
func (m *Memory) DueAlarms(ctx context.Context, until time.Time, after Due, limit int) ([]Due, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return nil, fmt.Errorf("due alarms: %w", err)
	}
	var all []Due
	for key, in := range m.instances {
		row, ok := in.rows[AlarmTray]
		var doc map[string]json.RawMessage
		if !ok || json.Unmarshal(row.Doc, &doc) != nil {
			continue
		}
		due, err := strconv.ParseInt(string(doc["due"]), 10, 64)
		if err != nil {
			continue // of another shape: its activation says so
		}
		d := Due{key, time.UnixMilli(due), row.Env, row.Hostname}
		if !d.At.After(until) && (after == Due{} || d.compare(after) > 0) {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, Due.compare)
	return all[:min(max(limit, 0), len(all))], nil
}

// StoredEpoch implements Sweepable.
func (m *Memory) StoredEpoch(ctx context.Context, key Key) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return 0, fmt.Errorf("%s: stored epoch: %w", key, err)
	}
	if in := m.instances[key]; in != nil {
		return in.epoch, nil
	}
	return 0, nil
}

// Hold implements Exclusive.
func (m *Memory) Hold(ctx context.Context) (release func() error, warning string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return nil, "", fmt.Errorf("hold: %w", err)
	}
	if m.held {
		return nil, "", &InUseError{Store: "in memory"}
	}
	m.held = true
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.held = false
		return nil
	}, "", nil
}

// PrivateRows implements Private.
func (m *Memory) PrivateRows() {}

func (k Key) compare(o Key) int {
	return cmp.Or(strings.Compare(k.Namespace, o.Namespace), strings.Compare(k.ID, o.ID))
}

func (t Tray) compare(o Tray) int {
	return cmp.Or(strings.Compare(t.Namespace, o.Namespace), strings.Compare(t.ID, o.ID))
}

func (p Place) compare(o Place) int { return cmp.Or(p.Key.compare(o.Key), p.Tray.compare(o.Tray)) }

func (d Due) compare(o Due) int { return cmp.Or(d.At.Compare(o.At), d.Key.compare(o.Key)) }
