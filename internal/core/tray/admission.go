package tray

import "encoding/json"

// Admission is one keyed admission while the body of its inbox runs: what that
// appends is tagged with the key, and absorbed where it was appended before.
type Admission struct {
	// Key is the key as JSON.
	Key json.RawMessage

	canonical         string
	ignored           bool // the target has it among those admitted: all is absorbed
	attempted, landed int
	budgets           map[any]int // how many of its items each queue still has from before
}

// absorbs reports whether one more append to a queue is one that was done before.
func (a *Admission) absorbs(queue any, admitted func(canonical string) int) bool {
	if a.ignored {
		return true
	}
	left, known := a.budgets[queue]
	if !known {
		left = admitted(a.canonical)
		if a.budgets == nil {
			a.budgets = map[any]int{}
		}
	}
	a.budgets[queue] = max(0, left-1)
	return left > 0
}

// Outcome is how a keyed admission ended.
type Outcome string

// The outcomes.
const (
	Admitted Outcome = "admitted" // its appends landed
	Absorbed Outcome = "absorbed" // the key was admitted before
)

func (a *Admission) outcome() Outcome {
	if a.ignored || a.attempted > 0 && a.landed == 0 {
		return Absorbed
	}
	return Admitted
}
