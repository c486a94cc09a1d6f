package runtime

import (
	"fmt"
	"time"

	"github.com/pinned-go/pinned/internal/core/directory"
	"github.com/pinned-go/pinned/internal/wire"
)

// refusal is a 503 with Retry-After and pinned-refusal: it was minted before any
// author's code ran for the request (wire contract, section 4).
type refusal struct {
	reason     string // the value of pinned-refusal
	retryAfter time.Duration
	detail     string
}

func (r *refusal) Error() string { return r.detail + " (" + r.reason + ")" }

// The refusals of local mode.
var (
	refusedBusy = &refusal{wire.RefusalBusy, time.Second, "no activation slot became free in time"}

	refusedClosing = &refusal{wire.RefusalClosing, time.Second, "the instance is closing"}

	refusedAdmission = map[directory.Admission]*refusal{
		directory.Full:     {wire.RefusalCapacity, time.Second, "as many instances as may be are resident"},
		directory.Draining: {wire.RefusalDraining, time.Second, "the worker is draining"},
		directory.NotBegun: {wire.RefusalDraining, time.Second, "the worker hasn't started"},
	}
)

// activationError is a failed activation: 500, and the next request tries again.
// It has been logged.
type activationError struct{ cause error }

func (e *activationError) Error() string { return fmt.Sprintf("activate: %v", e.cause) }

func (e *activationError) Unwrap() error { return e.cause }

// abortedError is the end of an instance by Abort or by a panic: 503 without
// Retry-After for the handlers that were in flight.
type abortedError struct{ cause error }

func (e *abortedError) Error() string { return fmt.Sprintf("instance aborted: %v", e.cause) }

func (e *abortedError) Unwrap() error { return e.cause }

// panicError is the cause of an abort by a panic.
type panicError struct{ value any }

func (e *panicError) Error() string {
	return "panic: " + clip(fmt.Sprint(e.value))
}

// loggedStack is how much of a stack is logged.
const loggedStack = 16 << 10

// stackText shortens a stack for a log record.
func stackText(stack []byte) string {
	if len(stack) > loggedStack {
		stack = stack[:loggedStack]
	}
	return string(stack)
}
