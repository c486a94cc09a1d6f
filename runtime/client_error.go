package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/clock"
	"github.com/pinned-go/pinned/internal/wire"
)

// Every failure of a call is a *pinned.Error. The functions here make them.

const (
	// maxProblem bounds how much of an error's body is read.
	maxProblem = 1 << 20
	// maxForeign bounds how much of an answer that isn't a worker's is quoted.
	maxForeign = 200
)

// badCall is a call that is refused before anything is sent.
func badCall(err error) error {
	if e, ok := errors.AsType[*pinned.Error](err); ok {
		return e
	}
	return made(&pinned.Error{Status: http.StatusBadRequest, Title: "Call Refused"}, err, pinned.NotRun, "")
}

func refuseCall(format string, args ...any) error { return badCall(fmt.Errorf(format, args...)) }

// made fills in what pinned.Error keeps to itself.
func made(e *pinned.Error, inner error, outcome pinned.Outcome, refusal string) *pinned.Error {
	bind.SetError(e, inner, int(outcome), refusal)
	return e
}

// failure is the error of a call whose last attempt ended with rep, or with err
// where no whole answer came.
func (q *Request) failure(ctx context.Context, rep *reply, err error) error {
	if err == nil {
		return q.answered(ctx, rep)
	}
	outcome := pinned.Unknown
	if sent, ok := errors.AsType[*sendError](err); ok && !sent.delivered {
		outcome = pinned.NotRun
	}
	if e, ok := errors.AsType[*pinned.Error](err); ok {
		return e // made by the endpoint, which knows more
	}
	return q.noAnswer(withContext(ctx, err), outcome)
}

// noAnswer is the error of a call without an answer.
func (q *Request) noAnswer(err error, outcome pinned.Outcome) error {
	return made(&pinned.Error{Title: "No Answer"}, fmt.Errorf("%s: %w", q, err), outcome, "")
}

// withContext makes the end of ctx, where it has ended, visible in err.
func withContext(ctx context.Context, err error) error {
	end := contextError(ctx)
	switch {
	case end == nil || errors.Is(err, end):
		return err
	case err == nil || errors.Is(end, err):
		return end
	}
	return fmt.Errorf("%w: %w", end, err)
}

// contextError is why ctx has ended: its error and, where it has another, its
// cause.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || cause == nil || errors.Is(err, cause) {
		return err
	}
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// answered is the error that a worker, or what stands before it, answered with.
func (q *Request) answered(ctx context.Context, rep *reply) error {
	e := &pinned.Error{Status: rep.status, RetryAfter: readRetryAfter(rep.header)}
	p, ok := q.readProblem(rep)
	if !ok {
		e.Title, e.Detail = http.StatusText(rep.status), "the answer is no worker's: "+quoteAnswer(rep)
		if rep.status < http.StatusBadRequest {
			e.Title = "Unexpected Answer"
		}
		return made(e, nil, pinned.Unknown, "")
	}
	e.Title, e.Detail, e.Code, e.Data = p.Title, p.Detail, p.Code, p.Data
	for _, f := range p.Errors {
		field := pinned.FieldError{Parameter: f.Parameter, Detail: f.Detail}
		if f.Pointer != nil {
			field.Pointer = *f.Pointer
		}
		e.Errors = append(e.Errors, field)
	}

	var inner error
	if p.Code != "" {
		inner = q.ref.errors.Value(p.Code, p.Data)
	}
	switch {
	case isRefusal(rep.status, rep.header):
		// Only a refusal waits for another attempt, which ctx may not have let it.
		return made(e, contextError(ctx), pinned.NotRun, rep.header.Get(wire.HeaderRefusal))
	case rep.status == http.StatusServiceUnavailable, rep.status == http.StatusBadGateway, rep.status == http.StatusGatewayTimeout:
		// Of these three the status doesn't say whether the handler ran.
		return made(e, inner, pinned.Unknown, "")
	}
	return made(e, inner, pinned.Ran, "")
}

// readProblem reads the body of an error. An older worker's has a detail alone, in
// plain JSON. HEAD leaves the body out, and its type says whose answer it is.
func (q *Request) readProblem(rep *reply) (p wire.Problem, ok bool) {
	switch media := mediaType(rep.header); {
	case media == wire.TypeProblem && q.method == http.MethodHead:
		ok = true
	case media == wire.TypeProblem, media == wire.TypeJSON:
		ok = json.Unmarshal(rep.data, &p) == nil && (p.Title != "" || p.Detail != "")
	}
	if p.Title == "" {
		p.Title = http.StatusText(rep.status)
	}
	return p, ok
}

// mediaType is that of a body, in lower case, without parameters.
func mediaType(header http.Header) string {
	value := header.Get("Content-Type")
	if value == wire.TypeJSON {
		return value
	}
	if t, _, err := mime.ParseMediaType(value); err == nil {
		return t
	}
	return strings.ToLower(value)
}

// quoteAnswer quotes the beginning of an answer that isn't a worker's.
func quoteAnswer(rep *reply) string {
	what := mediaType(rep.header)
	if what == "" {
		what = "without a content type"
	}
	if len(rep.data) == 0 {
		return what
	}
	head := rep.data[:min(len(rep.data), maxForeign)]
	return fmt.Sprintf("%s %q", what, strings.ToValidUTF8(string(head), "\uFFFD"))
}

// readRetryAfter reads the header: whole seconds or a date. What it doesn't
// understand is 0.
func readRetryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(clock.System.Now()))
	}
	return 0
}

// unexpected is a successful answer that the route can't have given.
func (q *Request) unexpected(rep *reply, why string) error {
	e := &pinned.Error{Status: rep.status, Title: "Unexpected Answer"}
	return made(e, fmt.Errorf("%s: %s", q, why), pinned.Unknown, "")
}
