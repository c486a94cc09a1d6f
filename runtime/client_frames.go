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

// clientFrames are the messages of a client's WebSocket.
type clientFrames struct {
	q  *Request
	ws *websocket.Conn

	reading sync.Mutex    // held by the one that reads
	writing chan struct{} // full while a message is being written
}

func newClientFrames(q *Request, ws *websocket.Conn) *clientFrames {
	ws.SetReadLimit(maxAnswer)
	return &clientFrames{q: q, ws: ws, writing: make(chan struct{}, 1)}
}

// ReadFrame returns the next message.
func (f *clientFrames) ReadFrame(ctx context.Context) ([]byte, error) {
	f.reading.Lock()
	defer f.reading.Unlock()
	stop := f.breakWith(ctx)
	_, message, err := f.ws.ReadMessage()
	if !stop() && err == nil {
		err = contextError(ctx)
	}
	if err == nil {
		return message, nil
	}
	// Whatever it was, this connection gives no more; the close frame of the
	// other side was answered already.
	_ = f.ws.Close()
	return nil, f.ended(ctx, err)
}

// WriteFrame sends a message.
func (f *clientFrames) WriteFrame(ctx context.Context, message []byte) error {
	select {
	case f.writing <- struct{}{}:
		defer func() { <-f.writing }()
	case <-ctx.Done():
		return f.q.noAnswer(contextError(ctx), pinned.NotRun)
	}
	stop := f.breakWith(ctx)
	err := f.ws.WriteMessage(websocket.TextMessage, message)
	if !stop() && err == nil {
		err = contextError(ctx)
	}
	if err != nil {
		return f.q.noAnswer(withContext(ctx, err), pinned.Unknown)
	}
	return nil
}

// breakWith breaks the connection when ctx ends. The function that it returns
// ends that; it says whether the connection is whole.
func (f *clientFrames) breakWith(ctx context.Context) (stop func() bool) {
	if ctx.Done() == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { _ = f.ws.Close() })
}

// Close sends a close frame. The connection itself is closed by who is reading,
// once the other side has closed as well, and by Close where nobody reads.
func (f *clientFrames) Close(code int, reason string) error {
	deadline := clock.System.Now().Add(closeTimeout)
	err := f.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), deadline)
	if err != nil {
		_ = f.ws.Close()
		if errors.Is(err, websocket.ErrCloseSent) {
			return nil
		}
		return f.q.noAnswer(err, pinned.Unknown)
	}
	_ = f.ws.SetReadDeadline(deadline)
	if f.reading.TryLock() {
		// The frame would be lost if the connection broke with something unread
		// on it. This ends at the deadline, whatever the other side does.
		go func() {
			defer f.reading.Unlock()
			defer func() { _ = f.ws.Close() }()
			for {
				if _, _, err := f.ws.NextReader(); err != nil {
					return
				}
			}
		}()
	}
	return nil
}

// ended is what a connection's end means to its reader: io.EOF after a normal
// close, else a *pinned.Error.
func (f *clientFrames) ended(ctx context.Context, err error) error {
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok || ctx.Err() != nil {
		return f.q.noAnswer(withContext(ctx, err), pinned.Unknown)
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
