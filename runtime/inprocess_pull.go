package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// pull is the answer of a handler in process that runs no further than its
// reader has asked: a write returns when the reader, having had all of it, comes
// back for more. So the next element of a stream isn't made before it is wanted.
//
// The handler's goroutine has the writer's half, the caller's the reader's.
type pull struct {
	cancel  context.CancelFunc // of the handler
	unwatch func() bool
	method  string

	header   http.Header // what the handler has
	fixed    int         // the status that it chose, 0: none yet
	head     http.Header // what goes with it
	declared int64       // length of the body, -1: unknown
	written  int64

	mu     sync.Mutex
	change sync.Cond // of what follows
	status int       // of the head, 0: not sent
	chunk  []byte    // what the reader hasn't had of the write under way
	asking bool      // the reader waits for a chunk
	late   limit     // until when a write may wait
	over   error     // the handler has ended: io.EOF, or that it broke off
	gone   error     // the reader has: why
}

// errAbandoned is what a handler's write gets when nobody reads any more.
var errAbandoned = errors.New("the answer was abandoned")

func newPull(ctx context.Context, cancel context.CancelFunc, method string) *pull {
	p := &pull{cancel: cancel, method: method, header: http.Header{}, declared: -1}
	p.change.L = &p.mu
	p.unwatch = context.AfterFunc(ctx, func() { p.leave(contextError(ctx)) })
	return p
}

// reply waits for the head.
func (p *pull) reply() (*reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.status == 0 && p.over == nil && p.gone == nil {
		p.change.Wait()
	}
	switch {
	case p.gone != nil:
		return nil, p.gone
	case p.status == 0:
		return nil, errBrokeOff
	}
	return &reply{status: p.status, header: p.head, body: p}, nil
}

// Read is the reader's.
func (p *pull) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking = true
	p.change.Broadcast()
	for len(p.chunk) == 0 && p.over == nil && p.gone == nil {
		p.change.Wait()
	}
	p.asking = false
	switch {
	case p.gone != nil:
		return 0, p.gone
	case len(p.chunk) == 0:
		return 0, p.over
	}
	n := copy(b, p.chunk)
	p.chunk = p.chunk[n:]
	p.change.Broadcast()
	return n, nil
}

// Close is the reader's: it ends a handler that is still at work.
func (p *pull) Close() error {
	p.leave(errAbandoned)
	return nil
}

func (p *pull) leave(why error) {
	p.mu.Lock()
	if p.gone == nil {
		p.gone = why
	}
	p.change.Broadcast()
	p.mu.Unlock()
	p.unwatch()
	p.cancel()
}

// end is the handler's.
func (p *pull) end(complete bool) {
	if complete {
		p.send()
	}
	p.mu.Lock()
	p.late.stop()
	p.over = io.EOF
	if !complete || p.declared > p.written && p.method != http.MethodHead {
		p.over = errBrokeOff
	}
	p.change.Broadcast()
	p.mu.Unlock()
}

// Header is the handler's.
func (p *pull) Header() http.Header { return p.header }

// WriteHeader fixes the head, once. It is sent with the first byte, a flush, or
// the end. Informational ones are left out.
func (p *pull) WriteHeader(status int) {
	if p.fixed == 0 && status >= 200 {
		p.fixed = status
		p.head = p.header.Clone() // what is changed later isn't sent
	}
}

// send sends the head.
func (p *pull) send() {
	p.WriteHeader(http.StatusOK)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status == 0 {
		p.declared = contentLength(p.head)
		p.status = p.fixed
		p.change.Broadcast()
	}
}

// Write gives the reader b, and returns when it asks for more.
func (p *pull) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	if p.status == 0 && p.head["Content-Type"] == nil && bodyAllowed(p.fixed) {
		p.head.Set("Content-Type", http.DetectContentType(b)) // as net/http does
	}
	p.send()
	switch {
	case p.method == http.MethodHead:
		return len(b), nil
	case !bodyAllowed(p.status):
		return 0, http.ErrBodyNotAllowed
	case p.declared >= 0 && p.written+int64(len(b)) > p.declared:
		return 0, http.ErrContentLength
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late.passed && p.gone == nil {
		if len(p.chunk) > 0 || len(b) > maxInFlight {
			return 0, os.ErrDeadlineExceeded
		}
		// Last words stay for a reader that comes back, as they would on a socket.
		p.chunk = bytes.Clone(b)
		p.written += int64(len(b))
		p.change.Broadcast()
		return len(b), nil
	}
	p.chunk = b
	p.change.Broadcast()
	for p.gone == nil && !p.late.passed && (len(p.chunk) > 0 || !p.asking) {
		p.change.Wait()
	}
	n := len(b) - len(p.chunk)
	p.written += int64(n)
	p.chunk = nil
	switch {
	case p.gone != nil:
		return n, errAbandoned
	case n < len(b):
		return n, os.ErrDeadlineExceeded
	}
	return n, nil
}

// SetWriteDeadline bounds how long a write waits for the reader, as that of a
// connection does.
func (p *pull) SetWriteDeadline(t time.Time) error {
	p.late.set(&p.change, t)
	return nil
}

// Flush sends the head: what is written is given at once anyway.
func (p *pull) Flush() { p.send() }
