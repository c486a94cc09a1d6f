package pinned

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// Error is an error with an HTTP status (wire contract, section 4).
//
// A handler returns one that it made to choose the answer: status, title,
// detail and code go out as they stand. A client's call returns one for every
// failure, also where no answer came; errors.Is and errors.As reach the value
// that the object's author declared with //pinned:error, or the cause of a
// failed connection, inside it.
type Error struct {
	// Status is the HTTP status, 400 to 599 in an answer; 0 at a client that got
	// no answer.
	Status int
	// Title names the kind of error. Empty means the status's own text.
	Title string
	// Detail says what happened this time.
	Detail string
	// Code is that of a //pinned:error, or one that the handler chose.
	Code string
	// Data is the JSON of a declared error type.
	Data json.RawMessage
	// Errors say what is wrong with the input.
	Errors []FieldError
	// RetryAfter is how long the answer asked to wait, 0 if it didn't. At a
	// handler it is sent in whole seconds, rounded up.
	RetryAfter time.Duration

	inner    error
	refusal  string
	outcome  Outcome
	received bool
}

// FieldError is one thing that is wrong with a request.
type FieldError struct {
	// Pointer is a JSON pointer into the body: "/a/0/b".
	Pointer string `json:"pointer,omitempty"`
	// Parameter is the name of a path or query parameter or of a header.
	Parameter string `json:"parameter,omitempty"`
	// Detail says what was expected.
	Detail string `json:"detail"`
}

// Outcome says whether a call that failed has run at the object.
type Outcome int

const (
	// Unknown is the outcome of a call that was sent and not answered, or cut off.
	Unknown Outcome = iota
	// NotRun is that of a call that no handler has seen: it was refused before, or
	// never sent.
	NotRun
	// Ran is that of a call which the worker answered with the error: its handler
	// returned it, or the input was refused, so that the same call gets it again.
	Ran
)

// String returns "unknown", "not run" or "ran".
func (o Outcome) String() string {
	switch o {
	case NotRun:
		return "not run"
	case Ran:
		return "ran"
	}
	return "unknown"
}

// Error returns status, title, detail and code in one line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Status != 0 {
		b.WriteString(strconv.Itoa(e.Status))
		b.WriteByte(' ')
	}
	switch {
	case e.Title != "":
		b.WriteString(e.Title)
	case e.Status != 0:
		b.WriteString(http.StatusText(e.Status))
	default:
		b.WriteString("call failed")
	}
	if e.Code != "" {
		b.WriteString(" (" + e.Code + ")")
	}
	switch {
	case e.Detail != "":
		b.WriteString(": " + e.Detail)
	case e.inner != nil:
		b.WriteString(": " + e.inner.Error())
	}
	for _, f := range e.Errors {
		b.WriteString("; " + f.Pointer + f.Parameter + ": " + f.Detail)
	}
	return b.String()
}

// Unwrap returns the author's own error value that the code stood for, or why
// no answer came, or nil.
func (e *Error) Unwrap() error { return e.inner }

// Retryable reports whether the same call may be made again as it is: it did
// not run, and the reason passes. It is true as well for a WebSocket that the
// worker closed because it went, or had no room: it can be opened again.
func (e *Error) Retryable() bool {
	return e.refusal != "" || e.outcome == NotRun && (e.Status == 0 || e.Status == http.StatusServiceUnavailable)
}

// Overloaded reports whether the call was refused for want of room, so that
// calling less is what helps.
func (e *Error) Overloaded() bool {
	switch e.refusal {
	case wire.RefusalBusy, wire.RefusalCapacity, wire.RefusalUnplaced:
		return true
	}
	return false
}

// Outcome says whether the call has run. It is Unknown for an Error that no
// call returned.
func (e *Error) Outcome() Outcome { return e.outcome }

func init() {
	bind.SetError = func(err, inner error, outcome int, refusal string) {
		if e, ok := errors.AsType[*Error](err); ok {
			e.inner, e.outcome, e.refusal, e.received = inner, Outcome(outcome), refusal, true
		}
	}
	bind.Received = func(err error) bool {
		var e *Error
		return errors.As(err, &e) && e.received
	}
}
