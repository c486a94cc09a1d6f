package tray

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Config is what a tray type says of itself.
type Config struct {
	// Attempts is how often one item is delivered before it parks. Default: 10.
	Attempts int
	// Open trays open at activation, and never close.
	Open bool
	// Drain lets a tray finish what is queued during a wind-down.
	Drain bool
	// Keyed trays close when they are dry, unless they are Open.
	Keyed bool
}

// The defaults and the backoff of failed deliveries (durability contract,
// section 5).
const (
	DefaultAttempts = 10
	DefaultTimeout  = 12 * time.Hour
	firstBackoff    = time.Second
	longestBackoff  = 5 * time.Minute
)

// The entries of a row that are the machine's.
const (
	inboxEntry    = "~inbox"
	attemptsEntry = "~attempts"
	parkedEntry   = "~parked"
	stateEntry    = "~state"
	dispatchEntry = "~dispatch"
	ignoreEntry   = "~ignore"
)

// Entries are the names of the entries that are the machine's.
var Entries = []string{inboxEntry, attemptsEntry, parkedEntry, stateEntry, dispatchEntry, ignoreEntry}

// EntryError says that a stored entry has the wrong shape.
type EntryError struct {
	Entry string
	Err   error
}

func (e *EntryError) Error() string { return fmt.Sprintf("entry %q: %v", e.Entry, e.Err) }

// Unwrap is what was wrong.
func (e *EntryError) Unwrap() error { return e.Err }

// Machine is one open tray.
type Machine struct {
	cfg Config

	marked   bool
	inbox    []json.RawMessage
	attempts int
	parked   bool
	state    json.RawMessage // nil: no entry
	records  records
	ignored  ignored

	dirty     [6]bool // by the index in Entries
	dirtyMark bool

	phase     phase
	running   bool // the pump
	retired   Mode
	active    bool // a delivery is running
	consumed  bool // CancelDispatch was called for it
	acked     bool // an item was acknowledged since the pump asked Items afresh
	confirmed bool // an earlier delivery of the head has confirmed its input
	before    int  // attempts before the running delivery
	epoch     int64
	delay     time.Duration
	releasing int // the record that is being released
	admission *Admission
}

// Mode is how a tray was retired.
type Mode uint8

// The modes.
const (
	Live    Mode = iota
	Closed       // dry, or its instance ends: the row stays
	Deleted      // the row is gone, or goes
)

func (m Mode) String() string { return [...]string{"live", "closed", "deleted"}[m] }

// phase is what the pump does next.
type phase uint8

const (
	atStart   phase = iota // look at the inbox, then ask Items afresh
	atItem                 // ask Items for the next item
	hasItem                // an item is there: count and deliver it
	isDry                  // no item is there
	atRelease              // acknowledge, once all keyed admissions are released
	atWait                 // wait, then start again
)

// Open makes the machine of a tray from its row; entry gives a stored entry, or
// nil. Taken says that a queue of the tray had items taken, which tells that an
// earlier delivery has confirmed its input.
func Open(cfg Config, marked, taken bool, entry func(name string) []byte) (*Machine, error) {
	if cfg.Attempts == 0 {
		cfg.Attempts = DefaultAttempts
	}
	m := &Machine{cfg: cfg, marked: marked}
	for _, name := range Entries {
		raw := entry(name)
		if raw == nil {
			continue
		}
		if err := m.hydrate(name, raw); err != nil {
			return nil, &EntryError{name, err}
		}
	}
	m.confirmed = taken || m.State() != nil
	return m, nil
}

func (m *Machine) hydrate(name string, raw []byte) (err error) {
	switch name {
	case inboxEntry:
		var q Queue[struct{}]
		q, m.dirty[0], err = ParseQueue(raw, func([]byte) (struct{}, error) { return struct{}{}, nil })
		for _, item := range q.Items() {
			m.inbox = append(m.inbox, item.Raw)
		}
	case attemptsEntry:
		m.attempts, err = strconv.Atoi(string(bytes.TrimSpace(raw)))
		if err != nil || m.attempts < 1 {
			err = errors.New("expected an integer that is at least 1")
		}
	case parkedEntry:
		m.parked = true
		if string(bytes.TrimSpace(raw)) != "true" {
			err = errors.New("expected true")
		}
	case stateEntry:
		m.state = raw
	case dispatchEntry:
		m.records, err = parseRecords(raw)
	case ignoreEntry:
		m.ignored, err = parseIgnored(raw)
	}
	return err
}

// touch notes that an entry must be written.
func (m *Machine) touch(name string) {
	for i, n := range Entries {
		if n == name {
			m.dirty[i] = true
		}
	}
}

// Changes calls write for each entry that has changed since the last call, with
// nil for one that is gone, and reports whether the mark has changed, or one of
// them. The shell writes the row then, whole.
func (m *Machine) Changes(write func(name string, raw []byte)) (changed bool) {
	changed, m.dirtyMark = m.dirtyMark, false
	for i, name := range Entries {
		if m.dirty[i] {
			m.dirty[i], changed = false, true
			write(name, m.entry(name))
		}
	}
	return changed
}

func (m *Machine) entry(name string) []byte {
	switch name {
	case inboxEntry:
		if len(m.inbox) > 0 {
			return mustEncode(m.inbox)
		}
	case attemptsEntry:
		if m.attempts > 0 {
			return strconv.AppendInt(nil, int64(m.attempts), 10)
		}
	case parkedEntry:
		if m.parked {
			return []byte("true")
		}
	case stateEntry:
		if m.state != nil {
			return m.state
		}
	case dispatchEntry:
		return m.records.encode()
	case ignoreEntry:
		return m.ignored.encode()
	}
	return nil
}

// Marked reports whether the row claims work in flight.
func (m *Machine) Marked() bool { return m.marked }

func (m *Machine) mark(marked bool) {
	if m.marked != marked {
		m.marked, m.dirtyMark = marked, true
	}
}

// Parked reports whether the head has reached its attempts.
func (m *Machine) Parked() bool { return m.parked }

// Attempts is how often the head has been delivered.
func (m *Machine) Attempts() int { return m.attempts }

// Retired is how the tray was retired, or Live.
func (m *Machine) Retired() Mode { return m.retired }

// Running reports whether the pump runs.
func (m *Machine) Running() bool { return m.running }

// Active reports whether a delivery is running.
func (m *Machine) Active() bool { return m.active }

// deletion is the built-in command that deletes a tray.
var deletion = json.RawMessage(`{"command":"delete"}`)
