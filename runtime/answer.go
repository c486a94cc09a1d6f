package runtime

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/wire"
)

// Answer sends the result of a route, or its error. v is encoded by its type
// while the turn is held: a string and bytes as they are, what an io.Reader
// gives, else JSON. It is written when the turn has been given up, so a slow
// client holds up nobody (authoring contract, section 3).
func Answer[T any](c *Call, v T, err error) {
	if c.fails(err) {
		c.fail(err)
		return
	}
	c.answer(http.StatusOK, nil, &v)
}

// AnswerResponse is Answer with a status and headers of the author's.
func AnswerResponse[T any](c *Call, v *pinned.Response[T], err error) {
	switch {
	case c.fails(err):
		c.fail(err)
	case v == nil:
		c.fail(errors.New("the handler returned neither a response nor an error"))
	case v.Status == 0:
		c.answer(http.StatusOK, v.Header, &v.Body)
	case v.Status < 200 || v.Status > 599:
		c.fail(fmt.Errorf("the handler returned the status %d", v.Status))
	default:
		c.answer(v.Status, v.Header, &v.Body)
	}
}

// AnswerNone sends 204, or the error of a handler that has no result.
func (c *Call) AnswerNone(err error) {
	if c.fails(err) {
		c.fail(err)
		return
	}
	if !c.gated() {
		return
	}
	c.sent = true
	c.rw.WriteHeader(http.StatusNoContent)
}

// answer sends what v points to.
func (c *Call) answer(status int, header http.Header, v any) {
	if !bodyAllowed(status) {
		defer closeReader(v)
		if !c.gated() {
			return
		}
		c.setHeader(header, nil)
		c.sent = true
		c.rw.WriteHeader(status)
		return
	}
	switch v := v.(type) {
	case *string:
		if !c.gated() {
			return
		}
		c.setHeader(header, headerText)
		c.write(status, nil, *v)
	case *[]byte:
		b := buffers.get()
		b.bytes = append(b.bytes, *v...) // the author's, once the turn is given up
		if c.gated() {
			c.setHeader(header, headerBytes)
			c.write(status, b.bytes, "")
		}
		buffers.put(b)
	case *io.Reader:
		c.copy(status, header, *v)
	default:
		b := buffers.get()
		if err := b.encode(v); err != nil {
			buffers.put(b)
			c.fail(fmt.Errorf("encode the result: %w", err))
			return
		}
		if c.gated() {
			c.setHeader(header, headerJSON)
			c.write(status, b.bytes[:len(b.bytes)-1], "") // without the encoder's line break
		}
		buffers.put(b)
	}
}

// setHeader sets the author's headers, and the content type unless they do.
func (c *Call) setHeader(header http.Header, contentType []string) {
	h := c.rw.Header()
	if contentType != nil {
		h["Content-Type"] = contentType
	}
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		switch {
		case wire.Reserved(name):
		case name == "Content-Length", name == "Transfer-Encoding", name == "Connection":
			// They say how the answer travels, which isn't the author's business.
		default:
			h[name] = values
		}
	}
}

// write sends a whole body, of which one form is given.
func (c *Call) write(status int, body []byte, text string) {
	c.sent = true
	n := len(body) + len(text)
	if n <= netBuffer && !c.head {
		if status != http.StatusOK {
			c.rw.WriteHeader(status)
		}
		c.writeBytes(body, text)
		return
	}
	c.rw.Header()["Content-Length"] = []string{strconv.Itoa(n)}
	c.rw.WriteHeader(status)
	if c.head {
		return
	}
	deadline := c.writeDeadline(int64(n))
	c.writeBytes(body, text)
	deadline.clear()
}

// writeBytes writes to a client that may be gone, which is nobody's fault.
func (c *Call) writeBytes(body []byte, text string) {
	if text != "" {
		_, _ = io.WriteString(c.rw, text)
		return
	}
	_, _ = c.rw.Write(body)
}

// writeDeadline limits how long an answer of n bytes takes to be taken. Small
// ones never wait.
func (c *Call) writeDeadline(n int64) deadline {
	set := http.NewResponseController(c.rw).SetWriteDeadline
	if set(time.Now().Add(transferLimit(n))) != nil {
		return deadline{} // no connection has one in process
	}
	return deadline{set}
}

// copyBuffer is how much of an io.Reader is written at once.
const copyBuffer = 32 << 10

// copy sends what r gives, outside the turn. The handler's context lasts until
// then: r may have been made with it.
func (c *Call) copy(status int, header http.Header, r io.Reader) {
	defer closeReader(&r)
	given := c.turn.GiveUp()
	retake := func() {
		if given != nil {
			given.Retake()
		}
	}
	b := buffers.get()
	defer buffers.put(b)
	b.grow(copyBuffer)
	chunk := b.bytes[:cap(b.bytes)]

	n, err := 0, io.EOF
	if r != nil && !c.head {
		n, err = readSome(r, chunk)
	}
	if err != nil && !errors.Is(err, io.EOF) && n == 0 {
		retake()
		c.fail(err)
		return
	}
	if gone := c.turn.Gate(c.turn); gone != nil {
		retake()
		c.fail(gone)
		return
	}
	// What this call waits for from here on ends with the instance too.
	rc := http.NewResponseController(c.rw)
	c.onEnd(func() { _ = rc.SetWriteDeadline(time.Now().Add(lastWords)) })
	c.setHeader(header, headerBytes)
	c.sent = true
	c.rw.WriteHeader(status)
	for {
		if n > 0 {
			// The reader is the author's, and may have entered turns.
			if c.turn.Gate(c.turn) != nil {
				c.broke = true
				return
			}
			if _, werr := c.rw.Write(chunk[:n]); werr != nil {
				c.broke = true
				return
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			c.logFault(fmt.Errorf("read the result: %w", err))
			c.broke = true
			return
		}
		if flush(rc) != nil || c.turn.Err() != nil {
			c.broke = true
			return
		}
		n, err = readSome(r, chunk)
	}
}

// readSome reads at least a byte, or says why not.
func readSome(r io.Reader, p []byte) (n int, err error) {
	for range 100 {
		if n, err = r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// closeReader closes what an io.Reader result points to, if it is a Closer.
func closeReader(v any) {
	if r, ok := v.(*io.Reader); ok {
		if closer, ok := (*r).(io.Closer); ok {
			_ = closer.Close()
		}
	}
}

// flush sends what was written. A server in between that can't is no fault of
// the connection.
func flush(rc *http.ResponseController) error {
	if err := rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// bodyAllowed reports whether an answer of that status may have a body.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
