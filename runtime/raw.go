package runtime

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// Reader is the body as it comes. A read gives the turn up while it waits. More
// than the route's limit is an *http.MaxBytesError, which a handler that returns
// it answers with 413.
func (c *Call) Reader() io.Reader { return c.body() }

// body is the request's body, which yields and is limited.
func (c *Call) body() io.ReadCloser {
	c.lent = true
	if c.req.Body != nil && c.req.Body != http.NoBody {
		rc := http.NewResponseController(c.rw)
		c.onEnd(func() { _ = rc.SetReadDeadline(time.Now()) })
	}
	return &yieldingBody{c: c, turn: c.turn, body: c.req.Body, left: c.route.limit, limit: c.route.limit}
}

// yieldingBody is a request's body outside the turn.
type yieldingBody struct {
	c           *Call
	turn        bind.Turn
	body        io.ReadCloser
	left, limit int64
	err         error
}

// Read reads outside the turn.
func (b *yieldingBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.body == nil || b.body == http.NoBody {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // a byte more than may be tells a body that is too large
	}
	n, err := b.read(p)
	if int64(n) > b.left {
		n, err = int(b.left), tooLarge(b.limit)
		if !b.c.sent && (b.c.raw == nil || !b.c.raw.sent) {
			b.c.rw.Header().Set("Connection", "close")
		}
	} else if err != nil && err != io.EOF { //nolint:errorlint // io.Reader's contract
		err = &bodyError{err}
	}
	b.left -= int64(n)
	b.err = err
	return n, err
}

func (b *yieldingBody) read(p []byte) (int, error) {
	if given := giveUpHeld(b.turn); given != nil {
		defer given.Retake()
	}
	return b.body.Read(p)
}

// Close leaves the rest of the body to the server.
func (b *yieldingBody) Close() error {
	if b.body == nil {
		return nil
	}
	return b.body.Close()
}

// Raw is what a raw handler gets: its reads, writes and flushes give the turn up
// while they wait, and headers that belong to the runtime are left out of the
// answer. http.ResponseController reaches the connection through it.
func (c *Call) Raw(ctx context.Context) (http.ResponseWriter, *http.Request) {
	rc := http.NewResponseController(c.rw)
	c.raw = &rawWriter{rw: c.rw, rc: rc, turn: c.turn}
	c.onEnd(func() { _ = rc.SetWriteDeadline(time.Now().Add(lastWords)) })
	return c.raw, c.Request(ctx)
}

// RawDone ends a raw handler.
func (c *Call) RawDone() {
	w := c.raw
	stripReserved(w.rw.Header()) // of the head, if nothing was written, or of trailers
	cause := c.abortCause()
	fault := cause == nil && c.faulty()
	c.endTurn()
	if cause == nil {
		cause = c.clearance()
	}
	switch {
	case w.hijacked, cause == nil && !fault:
	case fault && cause == nil && !w.sent:
		c.clearHeader()
		c.writeFailure(internal(nil))
	case w.sent:
		c.broke = true
	default:
		c.clearHeader()
		c.writeFailure(aborted(cause))
	}
}

// rawWriter is the ResponseWriter of a raw handler.
type rawWriter struct {
	rw             http.ResponseWriter
	rc             *http.ResponseController
	turn           *turn
	sent, hijacked bool
}

// Header is that of the answer.
func (w *rawWriter) Header() http.Header { return w.rw.Header() }

// WriteHeader sends the head. Where that has to wait until what was written is
// durable, the turn is given up.
func (w *rawWriter) WriteHeader(status int) {
	w.strip()
	if !w.turn.clear() {
		back, err := w.depart()
		back()
		if err != nil {
			return // the end of the handler says so
		}
	}
	w.sent = w.sent || status >= 200
	w.rw.WriteHeader(status)
}

// depart gives up the turn and waits until what is said next may leave. back comes
// back with the turn.
func (w *rawWriter) depart() (back func(), err error) {
	back = func() {}
	out := bind.Turn(w.turn)
	if given := w.turn.GiveUp(); given != nil {
		back, out = given.Retake, given
	}
	return back, out.Gate(w.turn)
}

// Write sends a part of the body outside the turn.
func (w *rawWriter) Write(p []byte) (int, error) {
	w.strip()
	back, err := w.depart()
	defer back()
	if err != nil {
		return 0, err
	}
	w.sent = true
	return w.rw.Write(p)
}

// WriteString is Write of a string.
func (w *rawWriter) WriteString(s string) (int, error) {
	w.strip()
	back, err := w.depart()
	defer back()
	if err != nil {
		return 0, err
	}
	w.sent = true
	return io.WriteString(w.rw, s)
}

// Flush sends what was written.
func (w *rawWriter) Flush() { _ = w.FlushError() }

// FlushError sends what was written, outside the turn.
func (w *rawWriter) FlushError() error {
	w.strip()
	back, err := w.depart()
	defer back()
	if err != nil {
		return err
	}
	w.sent = true
	return w.rc.Flush()
}

// Hijack takes the connection over: what happens on it is the handler's affair.
func (w *rawWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.rc.Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.hijacked = true
	return unframed(conn), rw, nil
}

// Unwrap is for http.ResponseController.
func (w *rawWriter) Unwrap() http.ResponseWriter { return w.rw }

// strip leaves the runtime's headers out of a head that isn't sent yet.
func (w *rawWriter) strip() {
	if !w.sent {
		stripReserved(w.rw.Header())
	}
}

// stripReserved deletes the headers, and the trailers, that belong to the
// runtime.
func stripReserved(h http.Header) {
	for name := range h {
		if wire.Reserved(strings.TrimPrefix(name, http.TrailerPrefix)) {
			delete(h, name)
		}
	}
}
