package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// sendBody is the body of one call over its attempts.
type sendBody struct {
	q    *Request
	last *attemptBody // of the attempt before, nil for a body in memory
}

// errBodyRead says why a call with a raw body isn't made again.
var errBodyRead = errors.New("the body was read already and can't go back: it is no io.Seeker")

// begin readies the body of a call for its first attempt. It fails where an
// earlier call, such as the first range over a stream, has had the reader.
func (q *Request) begin() (*sendBody, error) {
	b := &sendBody{q: q}
	if q.reader == nil || !q.used.Swap(true) {
		return b, nil
	}
	return b, b.seek()
}

func (b *sendBody) seek() error {
	if b.q.seeker == nil {
		return errBodyRead
	}
	if _, err := b.q.seeker.Seek(b.q.start, io.SeekStart); err != nil {
		return fmt.Errorf("take the body back to where it was: %w", err)
	}
	return nil
}

// attempt returns the body of one attempt and its length, -1 if it isn't known.
// It is nil without one.
func (b *sendBody) attempt() (io.ReadCloser, int64) {
	switch {
	case b.q.json != nil:
		return io.NopCloser(bytes.NewReader(b.q.json)), int64(len(b.q.json))
	case b.q.reader == nil || b.q.reader == http.NoBody:
		return nil, 0
	}
	b.last = newAttemptBody(b.q.reader)
	if b.q.length > 0 {
		return b.last, b.q.length
	}
	switch r := b.q.reader.(type) {
	case *bytes.Reader:
		return b.last, int64(r.Len())
	case *bytes.Buffer:
		return b.last, int64(r.Len())
	case *strings.Reader:
		return b.last, int64(r.Len())
	}
	return b.last, -1
}

// again readies the body for another attempt, and says whether it could.
func (b *sendBody) again(ctx context.Context) bool {
	if b.last == nil {
		return true
	}
	if b.last.read.Load() && b.q.seeker == nil {
		return false
	}
	if !b.last.quiet(ctx) {
		return false
	}
	return !b.last.read.Load() || b.seek() == nil
}

// release keeps the last attempt from beginning another read of the caller's
// reader, which may belong to a turn that goes on now.
func (b *sendBody) release() {
	if b.last != nil {
		_ = b.last.Close()
	}
}

// failed returns the error of the caller's own reader, if the attempt met one.
func (b *sendBody) failed() error {
	if b.last == nil {
		return nil
	}
	if err := b.last.err.Load(); err != nil {
		return *err
	}
	return nil
}

// attemptBody gives one attempt the caller's reader. It doesn't close it, and
// reads nothing more once it is closed itself.
type attemptBody struct {
	from    io.Reader
	reading chan struct{} // full while a Read is under way
	closed  chan struct{}
	once    sync.Once

	read atomic.Bool           // the reader may have moved
	err  atomic.Pointer[error] // the reader's own
}

func newAttemptBody(from io.Reader) *attemptBody {
	return &attemptBody{from: from, reading: make(chan struct{}, 1), closed: make(chan struct{})}
}

func (b *attemptBody) Read(p []byte) (int, error) {
	b.reading <- struct{}{}
	defer func() { <-b.reading }()
	select {
	case <-b.closed:
		return 0, http.ErrBodyReadAfterClose
	default:
	}
	b.read.Store(true)
	n, err := b.from.Read(p)
	if err != nil && err != io.EOF {
		b.err.Store(&err)
	}
	return n, err
}

func (b *attemptBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// quiet waits until the attempt has let go of the reader: a transport may still
// read in the background when it has returned an answer.
func (b *attemptBody) quiet(ctx context.Context) bool {
	select {
	case <-b.closed:
	case <-ctx.Done():
		return false
	}
	select {
	case b.reading <- struct{}{}:
		<-b.reading
		return true
	case <-ctx.Done():
		return false
	}
}
