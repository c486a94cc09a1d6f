package runtime

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/pinned-go/pinned"
)

// local calls a worker in the same process: the request goes to its serving code
// in memory. Nothing is shared with the caller but the bytes of a body that is
// being sent.
type local struct {
	worker *Worker
	caller pinned.Caller // zero: from outside. Its depth comes from the context
}

// What a request in process has in place of a host and a peer.
const (
	localHost = "in-process"
	localPeer = "@" // as net/http has it for a socket without addresses
)

// maxDepth is how deep calls from instance to instance may go (wire contract,
// section 6).
const maxDepth = 50

func (l *local) send(ctx context.Context, q *Request, body *sendBody, want want) (*reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, &sendError{err: contextError(ctx)}
	}
	caller, err := l.callerIn(ctx, q)
	if err != nil {
		return nil, err
	}
	if want.open {
		return l.open(ctx, q, body, caller, want)
	}

	req, err := l.request(callContext{ctx, caller.Depth}, q, body)
	if err != nil {
		return nil, &sendError{err: err}
	}
	rec := recorder{header: http.Header{}, method: req.Method}
	complete := l.serve(&rec, req, caller)
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	if own := body.failed(); own != nil && (!complete || rec.status >= http.StatusBadRequest) {
		return nil, &sendError{err: own, delivered: true}
	}
	// Over the network, nobody would have waited for what an ended call got to
	// say of its end.
	if !complete || ctx.Err() != nil && rec.status >= http.StatusInternalServerError {
		return nil, &sendError{err: withContext(ctx, errBrokeOff), delivered: true}
	}
	return &reply{status: rec.status, header: rec.header, data: rec.body.Bytes()}, nil
}

// errBrokeOff is a call whose answer ended before its end.
var errBrokeOff = errors.New("the answer broke off")

// callerIn is who calls, at its depth.
func (l *local) callerIn(ctx context.Context, q *Request) (pinned.Caller, error) {
	caller := l.caller
	if caller.ID == "" {
		return caller, nil
	}
	caller.Depth = depthIn(ctx) + 1
	if caller.Depth > maxDepth {
		return caller, made(&pinned.Error{
			Status: http.StatusLoopDetected,
			Detail: q.String() + ": calls from instance to instance are too deep",
		}, nil, pinned.NotRun, "")
	}
	return caller, nil
}

// open starts a handler whose answer is pulled by its reader.
func (l *local) open(ctx context.Context, q *Request, body *sendBody, caller pinned.Caller, want want) (*reply, error) {
	inner, cancel := context.WithCancel(ctx)
	req, err := l.request(callContext{inner, caller.Depth}, q, body)
	if err != nil {
		cancel()
		return nil, &sendError{err: err}
	}
	p := newPull(inner, cancel, req.Method)
	go func() {
		complete := false
		defer func() { p.end(complete) }() // runtime.Goexit in the handler included
		complete = l.serve(p, req, caller)
	}()

	rep, err := p.reply()
	if err != nil {
		return nil, &sendError{err: withContext(ctx, err), delivered: true}
	}
	if !want.reads(rep.status, rep.header) {
		return rep, nil
	}
	defer func() { _ = p.Close() }()
	if err := rep.read(p, contentLength(rep.header), want); err != nil {
		return nil, &sendError{err: err, delivered: true}
	}
	rep.body = nil
	return rep, nil
}

// serve runs the worker's side of a call. It returns false if the answer must
// not look complete, as a broken connection doesn't.
func (l *local) serve(rw http.ResponseWriter, req *http.Request, caller pinned.Caller) (complete bool) {
	defer func() {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		v := recover()
		if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // the value itself is the signal
			l.worker.logger.Error("a call in process panicked", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	l.worker.serve(rw, req, &caller)
	return true
}

// plainRequest is what the requests in process have in common.
var plainRequest = &http.Request{
	Proto:      "HTTP/1.1",
	ProtoMajor: 1,
	ProtoMinor: 1,
	Host:       localHost,
	RemoteAddr: localPeer,
}

// request makes the request that a worker's HTTP server would.
func (l *local) request(ctx context.Context, q *Request, body *sendBody) (*http.Request, error) {
	u, err := q.url("", "", "")
	if err != nil {
		return nil, err
	}
	req := plainRequest.WithContext(ctx)
	req.Method, req.URL, req.RequestURI = q.httpMethod(), u, u.RequestURI()
	req.Header = q.headers(nil)
	req.Body, req.ContentLength = body.attempt()
	if req.Body == nil {
		req.Body = http.NoBody
	}
	return req, nil
}

// callContext is the context of a request in process: it ends with the caller's,
// and has none of its values but the depth of the call. So the other side finds
// no turn in it that isn't its own, and reads nothing that a network would not
// have carried.
type callContext struct {
	ctx   context.Context
	depth int
}

type depthKey struct{}

// depthIn is the depth of the call that ctx comes from, 0 from outside.
func depthIn(ctx context.Context) int {
	depth, _ := ctx.Value(depthKey{}).(int)
	return depth
}

func (c callContext) Deadline() (time.Time, bool) { return c.ctx.Deadline() }
func (c callContext) Done() <-chan struct{}       { return c.ctx.Done() }
func (c callContext) Err() error                  { return c.ctx.Err() }

func (c callContext) Value(key any) any {
	if key == (depthKey{}) {
		return c.depth
	}
	return nil
}

// AfterFunc is what package context asks a context for that isn't its own,
// before it starts a goroutine to watch it.
func (c callContext) AfterFunc(f func()) func() bool { return context.AfterFunc(c.ctx, f) }

// recorder takes in a whole answer.
type recorder struct {
	header http.Header
	method string
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	switch {
	case r.method == http.MethodHead:
		return len(p), nil
	case !bodyAllowed(r.status):
		return 0, http.ErrBodyNotAllowed
	}
	return r.body.Write(p)
}

// Flush is there for who asks: an answer in memory is whole before it is read.
func (r *recorder) Flush() { r.WriteHeader(http.StatusOK) }
