package runtime

import "context"

// The notes of a turn.
const (
	// ungated: nothing that it says waits.
	ungated uint32 = 1 << iota
	// faulty: a durable write was refused, so that the answer is 500.
	faulty
)

// raise raises the gate to a position.
func (t *turn) raise(pos int64) {
	for {
		gate := t.gate.Load()
		if gate >= pos || t.gate.CompareAndSwap(gate, pos) {
			return
		}
	}
}

// note adds notes.
func (t *turn) note(notes uint32) {
	if notes != 0 {
		t.notes.Or(notes)
	}
}

// said is the gate of code that has t as its context, which may run in a fork.
func (t *turn) said() int64 {
	if t.in.durable == nil {
		return 0
	}
	if current := t.current(); current != nil {
		return max(t.gate.Load(), current.gate.Load())
	}
	return t.gate.Load()
}

// seal ends the segment of a turn that is being given up.
func (t *turn) seal() {
	if d := t.in.durable; d != nil {
		d.seal(t)
	}
}

// spoil drops the segment of a turn whose code has panicked.
func (t *turn) spoil() {
	if d := t.in.durable; d != nil && t.held() {
		d.discard(t)
	}
}

// clear reports whether Gate has nothing to wait for.
func (t *turn) clear() bool {
	d := t.in.durable
	return d == nil || t.gate.Load() <= d.frontier.Durable() || t.notes.Load()&ungated != 0
}

// Gate implements bind.Turn.
func (t *turn) Gate(ctx context.Context) error {
	if t.clear() {
		return nil
	}
	return t.in.durable.wait(ctx, t.gate.Load())
}

// gated ends the turn of the call, and waits until its answer may leave: when
// what it has written and seen is durable. Where it never will be, or the instance
// has ended meanwhile, it has answered: nobody knows what of it holds. The wait
// ends with the request too, since nobody would read the answer.
func (c *Call) gated() bool {
	c.endTurn()
	err := c.clearance()
	if err == nil {
		return true
	}
	c.writeFailure(aborted(err))
	return false
}

// clearance waits for the gate of a turn that has ended.
func (c *Call) clearance() error {
	if c.in == nil || c.turn.clear() {
		return nil
	}
	if err := c.turn.Gate(c.ctx); err != nil {
		return err
	}
	return c.abortCause()
}

// faulty reports whether a durable write of the call was refused.
func (c *Call) faulty() bool { return c.in != nil && c.turn.notes.Load()&faulty != 0 }

// fails reports whether a call is answered with an error.
func (c *Call) fails(err error) bool { return err != nil || c.abortCause() != nil || c.faulty() }

// verdictOf says how the error of a handler is answered, or what takes its place.
func (c *Call) verdictOf(err error) failure {
	if cause := c.abortCause(); cause != nil {
		return aborted(cause)
	}
	if c.faulty() {
		return internal(nil) // it was logged at the write
	}
	return c.explain(err)
}
