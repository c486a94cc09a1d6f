package tray

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pinned-go/pinned/internal/fault"
)

// Action is what the pump does next.
type Action uint8

// The actions, each with the call that tells the machine how it ended.
const (
	// Quit: the pump ends. It begins again with Kick, Unpark, Delete or Start.
	Quit Action = iota
	// Ask: the next item of Items, from the beginning where Fresh, else by
	// resuming it, which is the author's acknowledgement of the item before. The
	// takes of that one have been committed. Then Asked.
	Ask
	// Deliver: wait for one of the worker's slots, then Begin, make what changed
	// durable, and run the handler. Then Handled.
	Deliver
	// Release: have the target of Releasing release the key (Forget), if that tray
	// still exists. Then Released.
	Release
	// Commit: commit the takes of all queues of the tray. Then Committed.
	Commit
	// Wait: wait until the time that Handled returned. Then Waited, or sooner where
	// something has changed.
	Wait
	// Close: the tray is dry. Passivate it.
	Close
	// Delete: delete the row, make that durable, and free the id.
	Delete
	// Break: the row holds a command that nobody knows. Abort the instance.
	Break
)

// Result is how a delivery ended.
type Result uint8

// The results.
const (
	Done        Result = iota // the handler returned nil
	Failed                    // it returned an error: the item is delivered again, in place
	Interrupted               // it ended because of a wind-down: the delivery doesn't count
)

// ModeError says that a tray was retired.
type ModeError struct {
	Mode      Mode
	Operation string
}

func (e *ModeError) Error() string {
	return fmt.Sprintf("the tray is %s: %s is refused", e.Mode, e.Operation)
}

// Kick marks the row, before what is admitted is appended to it. It reports
// whether the pump is to be started.
func (m *Machine) Kick(windingDown bool) (start bool, err error) {
	if m.retired != Live {
		return false, &ModeError{m.retired, "an admission"}
	}
	if !fault.Is(fault.MarkAfterAppend) {
		m.mark(true)
	}
	return m.Start(windingDown), nil
}

// Start reports whether the pump is to be started, and takes it as started: at the
// opening of a marked or an open tray.
func (m *Machine) Start(windingDown bool) bool {
	if m.running || m.retired != Live || windingDown && !m.cfg.Drain {
		return false
	}
	m.running, m.phase, m.acked = true, atStart, false
	return true
}

// DeleteSoon admits the command that deletes the tray: the pump carries it out when
// the running delivery has ended.
func (m *Machine) DeleteSoon(windingDown bool) (start bool, err error) {
	switch m.retired {
	case Deleted:
		return false, nil
	case Closed:
		return false, &ModeError{Closed, "its deletion"}
	case Live:
	}
	m.mark(true)
	if !m.deleting() {
		m.inbox = append(m.inbox, deletion)
		if !fault.Is(fault.DeletionForgotten) {
			m.touch(inboxEntry)
		}
	}
	return m.Start(windingDown), nil
}

// deleting reports whether the command is there already.
func (m *Machine) deleting() bool {
	for _, raw := range m.inbox {
		if isDeletion(raw) {
			return true
		}
	}
	return false
}

func isDeletion(raw []byte) bool {
	var command map[string]json.RawMessage
	return json.Unmarshal(raw, &command) == nil && len(command) == 1 && string(command["command"]) == `"delete"`
}

// Unpark clears the park and the count: the head is delivered afresh. It is false
// where the tray isn't parked.
func (m *Machine) Unpark(windingDown bool) (unparked, start bool) {
	if !m.parked || m.retired != Live {
		return false, false
	}
	m.parked = false
	m.touch(parkedEntry)
	m.setAttempts(0)
	m.mark(true)
	return true, m.Start(windingDown)
}

// Retire closes the tray because its instance ends. The row stays.
func (m *Machine) Retire() {
	if m.retired == Live {
		m.retired = Closed
	}
}

func (m *Machine) setAttempts(n int) {
	if m.attempts != n {
		m.attempts = n
		m.touch(attemptsEntry)
	}
}

// Next is what the pump does next. windingDown says that the instance is.
func (m *Machine) Next(windingDown bool) Action {
	if m.retired != Live {
		return m.quit()
	}
	if m.phase != hasItem && m.phase != atRelease {
		if act, ok := m.command(); ok {
			return act
		}
	}
	switch m.phase {
	case atStart:
		if m.parked || windingDown && !m.cfg.Drain {
			return m.quit()
		}
		return Ask
	case atItem: // even in a wind-down: resuming Items is the author's acknowledgement
		return Ask
	case hasItem:
		if windingDown && !m.cfg.Drain {
			return m.quit()
		}
		if m.attempts >= m.cfg.Attempts {
			m.parked = true
			m.touch(parkedEntry)
			if fault.Is(fault.UnmarkWhenParked) {
				m.mark(false)
			}
			return m.quit()
		}
		return Deliver
	case atRelease:
		for m.releasing = range m.records {
			if !m.records[m.releasing].Cleaned {
				return Release
			}
		}
		return Commit
	case isDry:
		m.mark(false)
		if m.cfg.Keyed && !m.cfg.Open {
			m.running, m.retired = false, Closed
			return Close
		}
		return m.quit()
	case atWait:
		if windingDown && !m.cfg.Drain {
			return m.quit()
		}
		return Wait
	}
	panic("tray: no such phase")
}

func (m *Machine) quit() Action {
	m.running = false
	return Quit
}

// command carries out what the inbox holds.
func (m *Machine) command() (Action, bool) {
	if len(m.inbox) == 0 {
		return 0, false
	}
	m.running = false
	if !isDeletion(m.inbox[0]) {
		return Break, true
	}
	m.retired = Deleted
	return Delete, true
}

// Command is the text of the command that Break is about.
func (m *Machine) Command() string { return string(m.inbox[0]) }

// Fresh reports whether Ask begins Items anew.
func (m *Machine) Fresh() bool { return m.phase == atStart }

// Asked tells what Ask came to: whether there is an item. A tray without another
// one is dry: its row rests unmarked, and a keyed tray closes, once a command that
// is there was carried out.
func (m *Machine) Asked(item bool) {
	switch {
	case item && m.acked:
		m.purge()
		m.phase = hasItem
	case item:
		m.phase = hasItem
	default:
		m.purge()
		m.phase = isDry
	}
}

// purge drops the records of the item before, once another delivery begins or the
// tray is dry.
func (m *Machine) purge() {
	if len(m.records) > 0 {
		m.records = nil
		m.touch(dispatchEntry)
	}
}

// Delivery is what a handler is told of its delivery.
type Delivery struct {
	Attempt int // 1 for the first
	// Resumed says that an earlier delivery has confirmed its input: it set a
	// state, or took items.
	Resumed bool
	// Epoch is that of the run: each delivery has a higher one.
	Epoch int64
}

// Begin counts a delivery. now makes epochs of later activations higher too.
func (m *Machine) Begin(now time.Time) Delivery {
	m.before = m.attempts
	if fault.Is(fault.CountForgotten) {
		m.attempts++
	} else {
		m.setAttempts(m.attempts + 1)
	}
	m.mark(true)
	m.epoch = max(m.epoch+1, now.UnixMilli())
	m.active, m.consumed = true, false
	return Delivery{Attempt: m.attempts, Resumed: m.confirmed, Epoch: m.epoch}
}

// Handled ends a delivery. For one that failed, delay is after which time it comes
// again: retryAfter where the error has one (a positive one), else a backoff of
// which random, from 0 to 1, takes up to a half away. taken says that it left items
// in a take, which go back to the head.
func (m *Machine) Handled(r Result, retryAfter time.Duration, random float64, taken bool) (delay time.Duration) {
	m.active = false
	if m.consumed {
		r = Done
	}
	switch r {
	case Done:
		m.phase, m.delay = atRelease, 0
	case Failed:
		m.confirmed = taken || m.State() != nil
		m.phase = atWait
		m.delay = min(max(firstBackoff, 2*m.delay), longestBackoff)
		delay = m.delay - time.Duration(random*float64(m.delay)/2)
		if retryAfter > 0 {
			delay = retryAfter
		}
		if m.attempts >= m.cfg.Attempts {
			delay = 0 // it parks
		}
	case Interrupted:
		m.setAttempts(m.before)
		m.phase = atStart
	}
	return delay
}

// Waited ends the backoff: the head is presented afresh. It does nothing where
// something else has ended it meanwhile.
func (m *Machine) Waited() {
	if m.phase == atWait {
		m.phase, m.acked = atStart, false
	}
}

// Committed ends an acknowledgement: the count and the state of the dispatch are
// gone with it.
func (m *Machine) Committed() {
	m.setAttempts(0)
	if m.state != nil {
		m.state = nil
		m.touch(stateEntry)
	}
	m.confirmed, m.acked, m.phase = false, true, atItem
}

// Cancel has the running delivery, or the one that waits for its next attempt,
// taken for done. It reports whether there is one; its handler's context is for
// the shell to end.
func (m *Machine) Cancel() bool {
	switch {
	case m.active:
		m.consumed = true
	case m.phase == atWait && m.running:
		m.phase, m.delay = atRelease, 0
	default:
		return false
	}
	return true
}

// Cancelled reports whether the running delivery was cancelled.
func (m *Machine) Cancelled() bool { return m.active && m.consumed }

// Epoch is that of the running delivery, or 0.
func (m *Machine) Epoch() int64 {
	if !m.active {
		return 0
	}
	return m.epoch
}

// State is the state of the dispatch, as JSON; nil for none, which null is too, as the
// peer has it.
func (m *Machine) State() json.RawMessage {
	if string(bytes.TrimSpace(m.state)) == "null" {
		return nil
	}
	return m.state
}

// SetState sets the state of the dispatch. It is false where no delivery runs.
func (m *Machine) SetState(raw json.RawMessage) bool {
	if !m.active {
		return false
	}
	m.state = raw
	m.touch(stateEntry)
	return true
}
