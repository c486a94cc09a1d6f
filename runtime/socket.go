package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// The keepalive of sockets. A connection whose peer vanished without a word has
// no other way to be noticed while nobody sends.
const (
	pingInterval = 30 * time.Second
	// maxSilent is how many intervals in a row a peer may say nothing, not even
	// that it got the ping.
	maxSilent = 2
)

// closeTime is how long a close frame may take to be written.
const closeTime = time.Second

// socket is the server's end of a WebSocket. The handler's goroutine is the only
// one that an idle one has.
type socket struct {
	c    *Call
	conn *websocket.Conn

	write   sync.Mutex // held while a message is written
	read    sync.Mutex // held while one is read
	readErr error      // of the read that ended the connection; read guards it
	closed  atomic.Bool
	bye     sync.Mutex  // held while the close frame is written
	reading atomic.Bool // a read waits
	heard   atomic.Bool // the peer said something since the last ping
	leave   context.CancelCauseFunc
	parting atomic.Pointer[verdict] // of a Close that waits for what it may tell of

	timer    sync.Mutex // guards what follows
	silent   int        // pings without an answer in a row; only ping uses it
	stopPing func() bool
}

// errPeerGone is the cause of the end of a handler whose peer vanished.
var errPeerGone = errors.New("the other side of the connection is gone")

// runSocket is run for a WEBSOCKET route, in a goroutine of its own: once the
// handshake is answered, that of net/http can go, and with it the buffers that
// it has for a connection.
func (c *Call) runSocket() {
	// It ends with the goroutine of net/http, which is no reason to end for a
	// socket, and holds on to what belongs to that.
	ctx, leave := context.WithCancelCause(context.WithoutCancel(c.ctx))
	answered := context.AfterFunc(c.ctx, func() { leave(errPeerGone) }) // who waits for a handshake may leave
	c.ctx = ctx
	detached := make(chan struct{})
	c.detach = sync.OnceFunc(func() {
		answered()
		close(detached)
	})
	c.abandon = leave
	go func() {
		defer c.detach()
		defer leave(nil)
		c.run()
		if c.socket != nil {
			c.socket.finish()
		}
	}()
	<-detached
}

// accept answers the handshake, outside the turn.
func (c *Call) accept() bool {
	given := c.turn.GiveUp()
	conn, err := upgrade(c.rw, c.req)
	if err != nil {
		c.log().Debug("the handshake failed", "error", clip(err.Error()))
		c.sent = true // whatever it was, the connection has been taken over
		c.leave()
		return false
	}
	conn.SetReadLimit(c.route.limit)
	s := &socket{c: c, conn: conn, leave: c.abandon}
	s.heard.Store(true)
	conn.SetPongHandler(func(string) error {
		s.heard.Store(true)
		return nil
	})
	ping := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		s.heard.Store(true)
		return ping(data)
	})
	s.pingLater()
	c.socket, c.sent = s, true
	// What net/http keeps for a request goes with its goroutine.
	c.rw = nil
	c.detach()
	c.turn.stream()
	c.onEnd(s.interrupt)
	if given != nil {
		given.Retake()
	}
	return true
}

// pingLater sets the timer of the next ping.
func (s *socket) pingLater() {
	s.timer.Lock()
	defer s.timer.Unlock()
	if !s.closed.Load() {
		s.stopPing = s.c.w.clock.AfterFunc(pingInterval, s.ping)
	}
}

// ping asks the peer for a sign of life, and gives up on one that gives none.
func (s *socket) ping() {
	switch {
	case s.heard.Swap(false):
		s.silent = 0
	case s.reading.Load():
		s.silent++ // nobody reads its answers otherwise
	}
	if s.silent >= maxSilent {
		s.lost()
		return
	}
	err := s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(pingInterval/2))
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
	case errors.As(err, &timeout) && timeout.Timeout():
		s.silent = 0 // a slow reader is not a dead one
	default:
		s.lost()
		return
	}
	s.pingLater()
}

// lost ends a connection whose peer is gone.
func (s *socket) lost() {
	s.leave(errPeerGone)
	_ = s.conn.NetConn().Close()
}

// ReadFrame returns the next message. After the end of the connection it returns
// the same error again.
func (s *socket) ReadFrame(ctx context.Context) ([]byte, error) {
	s.read.Lock()
	defer s.read.Unlock()
	if s.readErr != nil {
		return nil, s.readErr
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	defer s.breakWith(ctx)()
	s.reading.Store(true)
	message, err := s.next()
	s.reading.Store(false)
	s.heard.Store(true)
	if err != nil {
		s.readErr = s.ended(ctx, err)
		return nil, s.readErr
	}
	if err := s.c.w.serving(ctx); err != nil {
		s.readErr = err // the message is lost, and so is the connection
		return nil, err
	}
	return message, nil
}

// next reads a message of text.
func (s *socket) next() ([]byte, error) {
	kind, r, err := s.conn.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.TextMessage {
		_ = s.Close(wire.CloseUnsupported, "messages are text")
		return nil, errors.New("the other side sent a binary message")
	}
	b := buffers.get()
	defer buffers.put(b)
	if err := b.readFrom(r, s.c.route.limit, 0); err != nil {
		return nil, err
	}
	if !utf8.Valid(b.bytes) {
		_ = s.Close(wire.CloseInvalid, "a message is not UTF-8")
		return nil, errors.New("the other side sent text that is not UTF-8")
	}
	return append([]byte(nil), b.bytes...), nil
}

// ended is what the end of the connection means to the handler.
func (s *socket) ended(ctx context.Context, err error) error {
	defer s.closed.Store(true)
	if errors.Is(err, websocket.ErrReadLimit) {
		return fmt.Errorf("receive: a message is over %d bytes", s.c.route.limit)
	}
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		switch closed.Code {
		case wire.CloseNormal, wire.CloseGoingAway, websocket.CloseNoStatusReceived:
			return io.EOF
		case websocket.CloseAbnormalClosure:
			return fmt.Errorf("receive: %w", io.ErrUnexpectedEOF)
		}
		return fmt.Errorf("receive: the other side closed with %d %q", closed.Code, clip(closed.Text))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("receive: %w", err)
}

// errForeign is the error of a frame whose gate nobody knows.
var errForeign = errors.New("send: the context is of no handler of this object: pass on the one that the handler was given")

// WriteFrame sends a message, after those that others are sending. Its gate is the
// business of who has the turn.
func (s *socket) WriteFrame(ctx context.Context, message []byte) error {
	if s.c.in.durable != nil && s.c.in.turnIn(ctx) == nil {
		return errForeign
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	defer s.breakWith(ctx)()
	if err := s.c.w.serving(ctx); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.conn.WriteMessage(websocket.TextMessage, message); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// breakWith breaks the connection when ctx ends, in a wait that can't be left
// otherwise. The handler's own context breaks it by itself.
func (s *socket) breakWith(ctx context.Context) (stop func()) {
	if t, ok := ctx.(*turn); ok && (t == s.c.turn || t.forkOf == s.c.turn) || ctx.Done() == nil {
		return func() {}
	}
	unwatch := context.AfterFunc(ctx, s.breakOff)
	return func() { unwatch() }
}

// breakOff ends every read and write that waits.
func (s *socket) breakOff() { _ = s.conn.NetConn().SetDeadline(time.Now()) }

// interrupt ends the connection of a handler whose context has ended.
func (s *socket) interrupt() {
	cause := context.Cause(s.c.turn)
	if errors.Is(cause, errDraining) {
		_ = s.Close(wire.CloseRestart, detailShutdown)
	} else {
		_ = s.Close(wire.CloseInternal, detailAborted)
	}
	s.breakOff()
}

// Part implements bind.Parter: it is the author's Close. Where something isn't
// durable yet that a close frame may tell of, the frame is sent when it is, or when
// the handler is over.
func (s *socket) Part(code int, reason string) error {
	if !sendable(code) {
		return fmt.Errorf("close with %d: not a code that may be sent", code)
	}
	in := s.c.in
	if in.durable == nil || s.c.turn.notes.Load()&ungated != 0 {
		return s.Close(code, reason)
	}
	gate := max(in.durable.Origin(), s.c.turn.gate.Load())
	if gate <= in.durable.frontier.Durable() {
		return s.Close(code, reason)
	}
	v := &verdict{code: code, reason: reason}
	if !s.parting.CompareAndSwap(nil, v) {
		return nil
	}
	in.start(backgroundTurn(context.Background(), in, gate), func(ctx context.Context) {
		if pinned.Await(ctx, func(context.Context) error { return nil }) == nil {
			s.closeWith(*v)
		}
	}, nil)
	return nil
}

// Close sends a close frame, once.
func (s *socket) Close(code int, reason string) error {
	if !sendable(code) {
		return fmt.Errorf("close with %d: not a code that may be sent", code)
	}
	s.bye.Lock()
	defer s.bye.Unlock()
	if s.closed.Swap(true) {
		return nil
	}
	frame := websocket.FormatCloseMessage(code, wire.CloseReason(reason))
	if err := s.conn.WriteControl(websocket.CloseMessage, frame, time.Now().Add(closeTime)); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	_ = s.conn.SetReadDeadline(time.Now().Add(lingerTime)) // the other side answers, or it doesn't
	return nil
}

// sendable reports whether a close frame may have a code (RFC 6455, 7.4).
func sendable(code int) bool {
	switch code {
	case 1004, 1005, 1006, 1015:
		return false
	}
	return code >= 1000 && code <= 1014 || code >= 3000 && code <= 4999
}

// Fail implements bind.Failer: it closes as if the handler had returned err.
func (s *socket) Fail(ctx context.Context, err error) {
	v := s.verdict(err)
	if turn := bind.TurnIn(ctx); turn != nil {
		if given := turn.GiveUp(); given != nil {
			defer given.Retake()
			turn = given
		}
		if turn.Gate(ctx) != nil {
			return // the end of the instance says so
		}
	}
	s.closeWith(v)
}

// verdict is how a socket is closed.
type verdict struct {
	code   int
	reason string
	fault  error // to be logged
}

// verdict says how to close by what the handler returned (authoring contract,
// section 3).
func (s *socket) verdict(err error) verdict {
	switch {
	case s.c.abortCause() != nil:
		return verdict{code: wire.CloseInternal, reason: detailAborted}
	case s.c.faulty():
		return verdict{code: wire.CloseInternal, reason: detailInternal}
	case s.parting.Load() != nil:
		return *s.parting.Load()
	case err == nil:
		return verdict{code: wire.CloseNormal}
	case s.closed.Load(): // the error is about that, most likely, and nobody can be told
		return verdict{}
	case errors.Is(context.Cause(s.c.turn), errDraining):
		return verdict{code: wire.CloseRestart, reason: detailShutdown}
	}
	f := s.c.explain(err)
	if !f.declared {
		return verdict{code: wire.CloseInternal, reason: detailInternal, fault: err}
	}
	return verdict{code: wire.CloseDeclared + f.problem.Status, reason: f.problem.Code}
}

// closeWith closes by a verdict.
func (s *socket) closeWith(v verdict) {
	s.c.logFault(v.fault)
	if v.code != 0 {
		_ = s.Close(v.code, v.reason) // the other side may be gone
	}
}

// crashed closes for a handler that panicked.
func (s *socket) crashed() { _ = s.Close(wire.CloseInternal, detailInternal) }

// finish closes the connection when the handler is over.
func (s *socket) finish() {
	s.bye.Lock() // the end of the handler doesn't cut off what an interrupt says
	s.closed.Store(true)
	s.bye.Unlock()
	s.timer.Lock()
	s.stopPing()
	s.timer.Unlock()
	linger(s.conn.NetConn())
}

// Hangup ends a WebSocket by what its handler returned.
func (c *Call) Hangup(err error) {
	v := c.socket.verdict(err)
	c.endTurn()
	if c.abortCause() == nil && c.clearance() != nil {
		v = verdict{code: wire.CloseInternal, reason: detailAborted}
	}
	c.socket.closeWith(v)
	c.leave()
}

var _ http.Hijacker = (*hijacker)(nil)
