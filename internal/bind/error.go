package bind

import "context"

// What pinned.Error keeps unexported, for the runtime's clients and answers.
// Package pinned fills these in.
var (
	// SetError marks a *pinned.Error as received from a call: inner is what it
	// unwraps to, outcome a pinned.Outcome, refusal the value of pinned-refusal.
	SetError func(err, inner error, outcome int, refusal string)
	// Received reports whether the first *pinned.Error in err came back from a
	// call, so that a handler which returns it made none of its own.
	Received func(err error) bool
)

// Parter is a pinned.Frames on which an author's Close waits until what it may
// tell of is durable (durability contract, section 3).
type Parter interface {
	Part(code int, reason string) error
}

// Failer is a pinned.Frames whose other end is told of an error as if the
// handler had returned it. The turn in ctx is given up while that waits.
type Failer interface {
	Fail(ctx context.Context, err error)
}
