package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/pinned-go/pinned/internal/wire"
)

// Body decodes the JSON body into a pointer to a struct. Members that exclude
// names are left alone: they are bound elsewhere. Unknown members are ignored,
// since an older worker must take what a newer client sends.
func (c *Call) Body(into any, exclude ...string) {
	if !c.resident() {
		return
	}
	b := buffers.get()
	defer buffers.put(b)
	if !c.readBody(b) {
		return
	}
	if len(exclude) > 0 {
		blankMembers(b.bytes, into, exclude)
	}
	if err := json.Unmarshal(b.bytes, into); err != nil {
		c.bodyFault(b.bytes, into, err)
	}
}

// bodyFault notes what made json.Unmarshal fail: all of it, where it is about
// types.
func (c *Call) bodyFault(body []byte, into any, err error) {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && !json.Valid(body) {
		c.input.pointer("", fmt.Sprintf("expected JSON: %s at byte %d", clip(syntax.Error()), syntax.Offset))
		return
	}
	before := len(c.input.faults)
	walkBody(body, into, c.input.pointer)
	if len(c.input.faults) > before {
		return
	}
	// The walk knows encoding/json's rules, not those of a type's own methods.
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		pointer := ""
		if mismatch.Field != "" {
			pointer = "/" + strings.ReplaceAll(mismatch.Field, ".", "/")
		}
		c.input.pointer(pointer, "expected "+expected(mismatch.Type))
		return
	}
	c.input.pointer("", clip(err.Error()))
}

// readBody reads a JSON body of at most the route's limit, or notes why not.
func (c *Call) readBody(b *buffer) bool {
	r := c.req
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		c.input.pointer("", "expected a JSON body")
		return false
	}
	if !isJSON(r.Header) {
		c.input.whole(http.StatusUnsupportedMediaType, "the body's Content-Type is not application/json")
		return false
	}
	if r.ContentLength > c.route.limit {
		c.refuseBody(tooLarge(c.route.limit))
		return false
	}
	deadline := c.readDeadline(max(r.ContentLength, 0))
	err := b.readFrom(r.Body, c.route.limit, int(r.ContentLength))
	deadline.clear()
	if err != nil {
		c.refuseBody(&bodyError{err: err})
		return false
	}
	c.read = true
	if len(b.bytes) == 0 {
		c.input.pointer("", "expected a JSON body")
		return false
	}
	return true
}

// refuseBody notes why a body can't be read. What is left of it is not: the
// connection closes after the answer.
func (c *Call) refuseBody(err *bodyError) {
	p := err.problem()
	c.input.whole(p.Status, p.Detail)
	c.rw.Header().Set("Connection", "close")
}

// isJSON reports whether the body is JSON and says so itself: a plain form of
// another origin can't.
func isJSON(h http.Header) bool {
	types := h["Content-Type"]
	if len(types) != 1 {
		return false
	}
	if types[0] != wire.TypeJSON {
		media, _, err := mime.ParseMediaType(types[0])
		if err != nil || media != wire.TypeJSON {
			return false
		}
	}
	for _, encoding := range h["Content-Encoding"] {
		if !strings.EqualFold(encoding, "identity") {
			return false
		}
	}
	return true
}

// bodyError is a body that couldn't be read: the client's doing.
type bodyError struct{ err error }

func tooLarge(limit int64) *bodyError { return &bodyError{&http.MaxBytesError{Limit: limit}} }

func (e *bodyError) Error() string { return "read the request's body: " + e.err.Error() }
func (e *bodyError) Unwrap() error { return e.err }

func (e *bodyError) problem() wire.Problem {
	if large, ok := errors.AsType[*http.MaxBytesError](e.err); ok {
		return wire.Problem{
			Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("the body is over %d bytes", large.Limit),
		}
	}
	if errors.Is(e.err, os.ErrDeadlineExceeded) {
		return wire.Problem{Status: http.StatusRequestTimeout, Detail: "the body came too slowly"}
	}
	return wire.Problem{Status: http.StatusBadRequest, Detail: "the body is malformed or was cut off"}
}

// What a body of n bytes may take to arrive, and a large answer to be taken. A
// byte a second would hold a connection, and an instance, for days.
const (
	transferTime = 30 * time.Second
	transferRate = 16 << 10 // bytes a second beyond it
)

func transferLimit(n int64) time.Duration {
	return transferTime + time.Duration(n/transferRate)*time.Second
}

// deadline is a limit on the connection's reads, or none.
type deadline struct{ set func(time.Time) error }

// readDeadline limits how long a body of n bytes takes.
func (c *Call) readDeadline(n int64) deadline {
	if n == 0 {
		n = c.route.limit // it doesn't say its length
	}
	set := c.setReadDeadline()
	if set(time.Now().Add(transferLimit(n))) != nil {
		return deadline{} // no connection has one in process
	}
	return deadline{set}
}

func (c *Call) setReadDeadline() func(time.Time) error {
	if rw, ok := c.rw.(interface{ SetReadDeadline(at time.Time) error }); ok {
		return rw.SetReadDeadline
	}
	return http.NewResponseController(c.rw).SetReadDeadline
}

// clear lifts the limit, which would otherwise end the request's context.
func (d deadline) clear() {
	if d.set != nil {
		_ = d.set(time.Time{}) // the connection is gone, then
	}
}

// readFrom appends all of r, of which more than limit bytes is an error. size
// is what the sender says, or less than 0.
func (b *buffer) readFrom(r io.Reader, limit int64, size int) error {
	b.grow(min(max(size+1, 512), 64<<10)) // what is said isn't yet sent
	for {
		if len(b.bytes) == cap(b.bytes) {
			b.grow(len(b.bytes))
		}
		n, err := r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		if int64(len(b.bytes)) > limit {
			return &http.MaxBytesError{Limit: limit}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
