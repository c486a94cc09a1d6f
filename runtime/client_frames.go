package runtime

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/clock"
	"github.com/pinned-go/pinned/internal/wire"
)

// closeTimeout bounds how long a close frame may take to be written, and then
// how long the other side's is waited for.
const closeTimeout = 5 * time.Second

// clientFrames are the messages of a client's WebSocket. A goroutine of its own
// reads: it answers the pings of the other side whether or not anybody waits for
// a message, and has one message at most in hand. It ends with the connection.
type clientFrames struct {
	q  *Request
	ws *websocket.Conn

	messages chan []byte   // what was read, one at a time
	closing  chan struct{} // closed by Close: what comes then is dropped
	closed   sync.Once
	ended    chan struct{} // closed when nothing more comes
	err      error         // why; ended guards it
	writing  chan struct{} // full while a message is being written
}

func newClientFrames(q *Request, ws *websocket.Conn) *clientFrames {
	ws.SetReadLimit(maxAnswer)
	f := &clientFrames{
		q:        q,
		ws:       ws,
		messages: make(chan []byte),
		closing:  make(chan struct{}),
		ended:    make(chan struct{}),
		writing:  make(chan struct{}, 1),
	}
	go f.read()
	return f
}

// read reads until the connection ends.
func (f *clientFrames) read() {
	defer close(f.ended)
	// A close frame of the other side was answered by then.
	defer func() { _ = f.ws.Close() }()
	for {
		kind, message, err := f.ws.ReadMessage()
		switch {
		case err != nil:
			f.err = f.end(err)
			return
		case kind != websocket.TextMessage:
			f.err = f.q.noAnswer(errors.New("the other side sent a binary message"), pinned.Unknown)
			_ = f.Close(wire.CloseUnsupported, "messages are text")
			return
		}
		select {
		case f.messages <- message:
		case <-f.closing:
		}
	}
}

// ReadFrame returns the next message, and after the last one always the same
// error. A context that ends doesn't harm the connection.
func (f *clientFrames) ReadFrame(ctx context.Context) ([]byte, error) {
	select {
	case message := <-f.messages:
		return message, nil
	case <-f.ended:
		return nil, f.err
	case <-ctx.Done():
		return nil, f.q.noAnswer(contextError(ctx), pinned.Unknown)
	}
}

// WriteFrame sends a message. A context that ends while it is being written
// breaks the connection, since half of it may have passed.
func (f *clientFrames) WriteFrame(ctx context.Context, message []byte) error {
	select {
	case f.writing <- struct{}{}:
		defer func() { <-f.writing }()
	case <-ctx.Done():
		return f.q.noAnswer(contextError(ctx), pinned.NotRun)
	}
	if ctx.Err() != nil {
		return f.q.noAnswer(contextError(ctx), pinned.NotRun)
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { _ = f.ws.NetConn().Close() })
		defer stop()
	}
	err := f.ws.WriteMessage(websocket.TextMessage, message)
	if err == nil {
		return nil
	}
	if errors.Is(err, websocket.ErrCloseSent) {
		// The reader has the other side's close frame, which was answered before its
		// reason is known here. After a Close of this side it may take long.
		select {
		case <-f.ended:
		case <-f.closing:
		case <-ctx.Done():
		}
	}
	select {
	case <-f.ended: // which tells more than that the connection is closed
		if e, ok := errors.AsType[*pinned.Error](f.err); ok && ctx.Err() == nil {
			return e
		}
	default:
	}
	return f.q.noAnswer(withContext(ctx, err), pinned.Unknown)
}

// Close sends a close frame. The connection is closed once the other side has
// answered it, or after closeTimeout.
func (f *clientFrames) Close(code int, reason string) error {
	if !sendable(code) {
		return refuseCall("close with %d: not a code that may be sent", code)
	}
	f.closed.Do(func() { close(f.closing) })
	deadline := clock.System.Now().Add(closeTimeout)
	frame := websocket.FormatCloseMessage(code, wire.CloseReason(reason))
	if err := f.ws.WriteControl(websocket.CloseMessage, frame, deadline); err != nil {
		select {
		case <-f.ended:
			return nil // it was closed before
		default:
		}
		if errors.Is(err, websocket.ErrCloseSent) {
			return nil
		}
		_ = f.ws.NetConn().Close()
		return f.q.noAnswer(err, pinned.Unknown)
	}
	_ = f.ws.SetReadDeadline(deadline)
	return nil
}

// end is what the end of the connection means to its reader: io.EOF after a
// normal close, else a *pinned.Error.
func (f *clientFrames) end(err error) error {
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok {
		return f.q.noAnswer(err, pinned.Unknown)
	}
	switch closed.Code {
	case wire.CloseNormal, wire.CloseGoingAway, websocket.CloseNoStatusReceived:
		return io.EOF
	case websocket.CloseAbnormalClosure: // no frame: the connection broke
		return f.q.noAnswer(io.ErrUnexpectedEOF, pinned.Unknown)
	}
	return f.q.closedWith(closed.Code, closed.Text)
}

// closedWith is the error that a close code stands for (authoring contract,
// section 3; wire contract, section 4).
func (q *Request) closedWith(code int, reason string) error {
	if status := code - wire.CloseDeclared; status >= http.StatusBadRequest && status < 600 {
		e := &pinned.Error{Status: status, Title: http.StatusText(status), Code: reason}
		inner := q.ref.errors.Value(reason, nil)
		if inner != nil {
			e.Detail = inner.Error()
		}
		return made(e, inner, pinned.Ran, "")
	}
	c, known := closeCodes[code]
	if !known {
		c = closeCode{http.StatusInternalServerError, pinned.Unknown, ""}
	}
	return made(&pinned.Error{Status: c.status, Title: http.StatusText(c.status), Detail: reason}, nil, c.outcome, c.refusal)
}

type closeCode struct {
	status  int
	outcome pinned.Outcome
	refusal string
}

// closeCodes are the statuses that the answer to a request would have had.
var closeCodes = map[int]closeCode{
	wire.CloseUnsupported: {http.StatusUnsupportedMediaType, pinned.Ran, ""},
	wire.CloseInvalid:     {http.StatusBadRequest, pinned.Ran, ""},
	wire.ClosePolicy:      {http.StatusForbidden, pinned.Ran, ""},
	wire.CloseTooBig:      {http.StatusRequestEntityTooLarge, pinned.Ran, ""},
	wire.CloseInternal:    {http.StatusInternalServerError, pinned.Unknown, ""},
	// The worker goes, the object doesn't: what was sent last may be lost, but
	// the socket can be opened again.
	wire.CloseRestart:  {http.StatusServiceUnavailable, pinned.Unknown, wire.RefusalDraining},
	wire.CloseTryLater: {http.StatusServiceUnavailable, pinned.NotRun, wire.RefusalBusy},
}
