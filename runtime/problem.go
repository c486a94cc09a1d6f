package runtime

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// Texts that say nothing of what happened inside.
const (
	detailInternal  = "the object failed"
	detailForbidden = "the request is not allowed"
	detailAborted   = "instance aborted"
	detailShutdown  = "the worker is shutting down"
)

// Values of headers that never change, as net/http keeps them.
var (
	headerJSON    = []string{wire.TypeJSON}
	headerProblem = []string{wire.TypeProblem}
	headerText    = []string{wire.TypeText}
	headerBytes   = []string{wire.TypeBytes}
	headerSSE     = []string{wire.TypeSSE}
	headerNDJSON  = []string{wire.TypeNDJSON}
	headerClose   = []string{"close"}
)

// failure is what becomes of an error.
type failure struct {
	problem    wire.Problem
	retryAfter time.Duration
	refusal    string // of pinned-refusal
	declared   bool   // by a //pinned:error
	fault      error  // to be logged: nobody is told what it says
}

// explain says how an error of a handler is answered; the first that matches
// wins (authoring contract, section 3).
func (c *Call) explain(err error) failure {
	declared, fault := c.kind.errors.Problem(err)
	if declared != nil {
		return failure{problem: problemOf(declared), declared: true}
	}
	if fault != nil {
		return internal(errors.Join(fault, err))
	}
	if f, ok := c.explainOwn(err); ok {
		return f
	}
	if body, ok := errors.AsType[*bodyError](err); ok {
		return failure{problem: body.problem()}
	}
	return internal(err)
}

// explainOwn is explain for a *pinned.Error that this handler made. One that
// came back from another object says nothing about this one.
func (c *Call) explainOwn(err error) (failure, bool) {
	own, ok := errors.AsType[*pinned.Error](err)
	if !ok || own == nil || bind.Received(err) {
		return failure{}, false
	}
	if own.Status < 400 || own.Status > 599 {
		return failure{}, false
	}
	return failure{problem: problemOf(own), retryAfter: own.RetryAfter}, true
}

func internal(fault error) failure {
	return failure{
		problem: wire.Problem{Status: http.StatusInternalServerError, Detail: detailInternal},
		fault:   fault,
	}
}

func problemOf(e *pinned.Error) wire.Problem {
	p := wire.Problem{Title: e.Title, Status: e.Status, Detail: e.Detail, Code: e.Code, Data: e.Data}
	for _, f := range e.Errors {
		fault := wire.Fault{Parameter: f.Parameter, Detail: f.Detail}
		if f.Parameter == "" {
			fault.Pointer = &f.Pointer
		}
		p.Errors = append(p.Errors, fault)
	}
	return p
}

// aborted says how a call is answered whose instance ended while the handler
// ran. It may have run, so no Retry-After invites to send it again (wire
// contract, section 4).
func aborted(cause error) failure {
	detail := detailAborted
	if errors.Is(cause, errDraining) {
		detail = detailShutdown
	}
	return failure{problem: wire.Problem{Status: http.StatusServiceUnavailable, Detail: detail}}
}

// refused says how a call is answered that no author's code has seen.
func refused(err error) failure {
	if r, ok := errors.AsType[*refusal](err); ok {
		return failure{
			problem:    wire.Problem{Status: http.StatusServiceUnavailable, Detail: r.detail},
			retryAfter: r.retryAfter,
			refusal:    r.reason,
		}
	}
	if _, ok := errors.AsType[*unreadError](err); ok {
		return failure{
			problem:    wire.Problem{Status: http.StatusServiceUnavailable, Detail: "the object's rows can't be read now"},
			retryAfter: time.Second,
			refusal:    wire.RefusalStore,
		}
	}
	if _, ok := errors.AsType[*activationError](err); ok {
		return internal(nil)
	}
	if _, ok := errors.AsType[*abortedError](err); ok {
		return aborted(err)
	}
	// The request ended while it waited; whoever reads this may send it again.
	return failure{
		problem:    wire.Problem{Status: http.StatusServiceUnavailable, Detail: "the request ended before it began"},
		retryAfter: time.Second,
		refusal:    wire.RefusalBusy,
	}
}

// fail answers with the error of a handler.
func (c *Call) fail(err error) {
	f := c.verdictOf(err)
	c.endTurn()
	c.logFault(f.fault)
	if c.abortCause() != nil || c.gated() {
		c.writeFailure(f)
	}
}

// logFault logs an error whose text the client doesn't get. Once the client is
// gone its context's end is the usual error, and no fault.
func (c *Call) logFault(fault error) {
	if fault == nil {
		return
	}
	if c.req.Context().Err() != nil && errors.Is(fault, context.Canceled) {
		c.log().Debug("the client left", "error", clip(fault.Error()))
		return
	}
	c.log().Error("the handler failed", "error", clip(fault.Error()))
}

// abortCause is why the instance ended, or nil while it lives.
func (c *Call) abortCause() error {
	if c.in == nil {
		return nil
	}
	return c.in.abortCause()
}

// writeFailure sends f as problem+json.
func (c *Call) writeFailure(f failure) {
	h := c.rw.Header()
	if f.retryAfter > 0 {
		h["Retry-After"] = []string{seconds(f.retryAfter)}
	}
	if f.refusal != "" {
		h[wire.HeaderRefusal] = []string{f.refusal}
	}
	h["Content-Type"] = headerProblem
	c.sent = true
	writeBody(c.rw, f.problem.Status, f.problem.Encode(), c.req.Method == http.MethodHead)
}

// seconds is a duration in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// problem answers a request that reached no route.
func problem(rw http.ResponseWriter, r *http.Request, status int, detail string) {
	rw.Header()["Content-Type"] = headerProblem
	body := wire.Problem{Status: status, Detail: detail}.Encode()
	writeBody(rw, status, body, r.Method == http.MethodHead)
}

// writeBody sends a whole answer whose headers are set.
func writeBody(rw http.ResponseWriter, status int, body []byte, head bool) {
	if head || len(body) > netBuffer {
		rw.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	rw.WriteHeader(status)
	if !head {
		_, _ = rw.Write(body) // the client may be gone; nobody else would know what to do
	}
}

// netBuffer is up to where net/http counts the bytes of an answer on its own.
const netBuffer = 2048
