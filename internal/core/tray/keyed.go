package tray

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pinned-go/pinned/internal/fault"
)

// Errors of keyed admissions.
var (
	ErrNotRunning = errors.New("no delivery of this tray is running")
	ErrNested     = errors.New("the tray has a keyed admission running already")
)

// Find is the outcome of a keyed admission that this head has made before. The
// second result is false where it has made none under that key.
func (m *Machine) Find(key json.RawMessage, target Target) (Outcome, bool, error) {
	canonical, err := canon(key)
	if err != nil {
		return "", false, err
	}
	r := m.records.find(canonical)
	if r == nil {
		return "", false, nil
	}
	if r.Target != target {
		return "", false, fmt.Errorf("the key %s was admitted into the tray (%q, %q)", key, r.Target.Namespace, r.Target.ID)
	}
	return r.Outcome, true, nil
}

// Admit begins a keyed admission into this tray, the target. While the body of the
// inbox runs, its queues append under it; then End.
func (m *Machine) Admit(key json.RawMessage) (*Admission, error) {
	if m.retired != Live {
		return nil, &ModeError{m.retired, "an admission"}
	}
	if m.admission != nil {
		return nil, ErrNested
	}
	canonical, err := canon(key)
	if err != nil {
		return nil, err
	}
	m.admission = &Admission{Key: key, canonical: canonical, ignored: m.ignored.index(canonical) >= 0}
	return m.admission, nil
}

// Admission is the keyed admission that runs, or nil.
func (m *Machine) Admission() *Admission { return m.admission }

// End ends the keyed admission: the key is remembered until the source's
// acknowledgement has released it.
func (m *Machine) End() Outcome {
	a := m.admission
	m.admission = nil
	if m.ignored.index(a.canonical) < 0 && !fault.Is(fault.KeyForgotten) {
		m.ignored = append(m.ignored, ignoredKey{a.Key, a.canonical})
		m.touch(ignoreEntry)
	}
	return a.outcome()
}

// Drop ends a keyed admission whose body panicked.
func (m *Machine) Drop() { m.admission = nil }

// Record notes in this tray, the source, what its running delivery has admitted.
func (m *Machine) Record(key json.RawMessage, target Target, outcome Outcome) error {
	if !m.active {
		return ErrNotRunning
	}
	canonical, err := canon(key)
	if err != nil {
		return err
	}
	if fault.Is(fault.RecordForgotten) {
		return nil
	}
	m.records = append(m.records, Record{Key: key, Target: target, Outcome: outcome, canonical: canonical})
	m.touch(dispatchEntry)
	return nil
}

// Releasing is the record that Release is about.
func (m *Machine) Releasing() Record { return m.records[m.releasing] }

// Released notes that the target has released the key, or that it doesn't exist any
// more.
func (m *Machine) Released() {
	m.records[m.releasing].Cleaned = true
	m.touch(dispatchEntry)
}

// Forget releases a key in this tray, the target.
func (m *Machine) Forget(key json.RawMessage) {
	canonical, err := canon(key)
	if err != nil {
		return // no such key was ever admitted
	}
	if i := m.ignored.index(canonical); i >= 0 {
		m.ignored = append(m.ignored[:i:i], m.ignored[i+1:]...)
		m.touch(ignoreEntry)
	}
}
