package runtime

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// An endpoint is where the calls of a target go. It is safe for concurrent use.
type endpoint interface {
	// send makes one attempt at a call and returns what was answered, be it an
	// error's problem. Its own error is a *sendError: no whole answer came.
	send(ctx context.Context, q *Request, body *sendBody, want want) (*reply, error)
	// dial makes one attempt to open a WebSocket. It returns frames, or the answer
	// that refused the handshake, or a *sendError.
	dial(ctx context.Context, q *Request) (pinned.Frames, *reply, error)
}

// want says what a call takes for a result, and how much of it send reads.
type want struct {
	// errorFrom is the first status that is the call's error. Below 200 there is
	// no final answer.
	errorFrom int
	// open leaves the body of a result to be read by the caller.
	open bool
}

var (
	wantWhole    = want{errorFrom: 300}
	wantBody     = want{errorFrom: 300, open: true}
	wantResponse = want{errorFrom: 400}
	wantRaw      = want{errorFrom: 1000, open: true} // whatever it is, but for a refusal
	wantSocket   = want{errorFrom: 200}              // an answer to a handshake is never a result
)

// fails reports whether an answer is the call's error.
func (w want) fails(status int, header http.Header) bool {
	return status < 200 || status >= w.errorFrom || isRefusal(status, header)
}

// reads reports whether an answer is read to its end before send returns.
func (w want) reads(status int, header http.Header) bool {
	return !w.open || w.fails(status, header)
}

// reply is an answer.
type reply struct {
	status int
	header http.Header
	data   []byte        // the whole body, if it was read
	body   io.ReadCloser // else the body
}

// sendError is why no whole answer came.
type sendError struct {
	err error
	// delivered: a byte of the request may have reached the other side.
	delivered bool
	// again: it didn't, and the reason passes.
	again bool
}

func (e *sendError) Error() string { return e.err.Error() }
func (e *sendError) Unwrap() error { return e.err }

// newTarget wraps an endpoint, a fake or a lasting fault, as authors see it.
func newTarget(to any) pinned.Target { return pinned.Target(bind.NewTarget(to)) }

// InProcess calls the objects on w without a socket. Requests and answers pass
// through the same code as over the network, so arguments are copied and
// Authorize, limits, validation and errors are the same. A call that isn't a
// stream runs its handler in the caller's goroutine and returns when the handler
// does: one that ignores its context holds up its caller, and one that calls
// runtime.Goexit ends the caller too.
func InProcess(w *Worker) pinned.Target {
	if w == nil {
		return newTarget(errors.New("the worker is nil"))
	}
	return newTarget(&local{worker: w})
}

// Ref is one object at the end of a target. Generated RoomRefs wrap one.
type Ref struct{ to *ref }

type ref struct {
	endpoint endpoint
	path     string // escaped: "/rooms/lobby"
	errors   pinned.Errors
	fault    error // of every call
}

// NewRef names an object. An id that no object can have (wire contract, section
// 1) is the error of every call, before anything is sent. errs rebuilds the
// authors' errors by their codes.
func NewRef(t pinned.Target, namespace, id string, errs pinned.Errors) Ref {
	r := &ref{path: escapeNamespace(namespace) + "/" + id, errors: errs}
	switch to := bind.Target(t).To().(type) {
	case endpoint:
		r.endpoint = to
	case *fake:
		r.fault = refuseCall("the fakes are of another package than the client's")
	case error:
		r.fault = badCall(to)
	default:
		r.fault = refuseCall("the client has no target: make it with NewClient, InProcess, From or NewFake")
	}
	if err := wire.ValidID(id); err != nil {
		r.path = escapeNamespace(namespace) + "/" + url.PathEscape(id)
		r.fault = badCall(err)
	}
	return Ref{to: r}
}

// Call begins a call. method is a route's (WEBSOCKET included), path what
// follows the id, escaped, beginning with "/". What Escape, EscapeRest or
// FormatText found wrong in it is the call's error.
func (r Ref) Call(method, path string) *Request {
	if r.to == nil {
		r.to = &ref{fault: refuseCall("the reference is zero: get it from a client")}
	}
	q := &Request{ref: r.to, method: method, path: path, fault: r.to.fault}
	if err := pathFault(path); err != nil {
		q.note(err)
	}
	return q
}
