package runtime

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
)

const methodWebSocket = "WEBSOCKET"

// DialSocket opens the WebSocket of a route. In is what the client receives. ctx
// bounds the handshake, which is made again like any call where that is safe, and
// not the connection: that lasts until either side closes it.
func DialSocket[In, Out any](ctx context.Context, q *Request) (*pinned.Conn[In, Out], error) {
	frames, err := q.socket(ctx)
	if err != nil {
		return nil, err
	}
	return pinned.NewConn[In, Out](frames), nil
}

func (q *Request) socket(ctx context.Context) (pinned.Frames, error) {
	if q.fault != nil {
		return nil, q.fault
	}
	back, err := q.depart(ctx)
	defer back()
	if err != nil {
		return nil, err
	}
	var frames pinned.Frames
	_, err = q.attempts(ctx, &sendBody{q: q}, func() (rep *reply, err error) {
		frames, rep, err = q.ref.endpoint.dial(ctx, q)
		return rep, err
	}, wantSocket)
	return frames, err
}

func (e *remote) dial(ctx context.Context, q *Request) (pinned.Frames, *reply, error) {
	conn, err := e.connect(ctx)
	if err != nil {
		return nil, nil, &sendError{err: err, again: isConnectionRefused(err)}
	}
	return shake(ctx, q, e.host, e.prefix, e.header, conn)
}

// connect opens a connection of its own for a socket.
func (e *remote) connect(ctx context.Context) (net.Conn, error) {
	host, port, secure := e.address()
	conn, err := e.dialer(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil || !secure {
		return conn, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if own := e.transport.TLSClientConfig; own != nil {
		config = own.Clone()
	}
	config.NextProtos = []string{"http/1.1"}
	if config.ServerName == "" {
		config.ServerName = host
	}
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

// shake makes the handshake over a connection, which it owns.
func shake(ctx context.Context, q *Request, host, prefix string, own http.Header, conn net.Conn) (pinned.Frames, *reply, error) {
	hs := newHandshake(conn)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()

	u, err := q.url("ws", host, prefix)
	if err != nil {
		_ = conn.Close()
		return nil, nil, &sendError{err: err}
	}
	dialer := websocket.Dialer{
		NetDialContext: func(context.Context, string, string) (net.Conn, error) { return hs, nil },
	}
	// The end of ctx closes the connection; as a deadline of the connection, it
	// would come as an error that isn't the context's.
	ws, resp, err := dialer.DialContext(context.WithoutCancel(ctx), u.String(), handshakeHeaders(q.headers(own)))
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	switch {
	case hs.refusal != nil:
		return nil, hs.refusal, nil
	case err == nil && !stop():
		_ = ws.Close()
		err = contextError(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, &sendError{err: fmt.Errorf("handshake: %w", err), delivered: true}
	}
	hs.unlimited()
	return newClientFrames(q, ws), nil, nil
}

// handshakeHeaders drops what the handshake sets on its own.
func handshakeHeaders(h http.Header) http.Header {
	for _, name := range []string{"Upgrade", "Connection", "Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Content-Type"} {
		h.Del(name)
	}
	return h
}

// errRefused ends a handshake whose answer was read already.
var errRefused = errors.New("the handshake was refused")

// handshake is a connection whose first answer is looked at on its way: any
// other than 101 is kept whole, since the dialler keeps the beginning of a body
// only.
type handshake struct {
	net.Conn

	limited *io.LimitedReader
	lines   *bufio.Reader
	passed  bool
	refusal *reply
}

func newHandshake(conn net.Conn) *handshake {
	limited := &io.LimitedReader{R: conn, N: maxAnswerHead}
	return &handshake{Conn: conn, limited: limited, lines: bufio.NewReader(limited)}
}

// unlimited ends the bound on what the handshake reads.
func (h *handshake) unlimited() { h.limited.N = math.MaxInt64 }

func (h *handshake) Read(p []byte) (int, error) {
	if !h.passed {
		if err := h.answer(); err != nil {
			return 0, err
		}
		h.passed = true
	}
	if h.lines.Buffered() == 0 {
		return h.limited.Read(p)
	}
	return h.lines.Read(p)
}

// answer reads heads until one of 101 comes next, or keeps what came instead.
func (h *handshake) answer() error {
	for {
		const upgrade = "HTTP/1.1 101"
		head, err := h.lines.Peek(len(upgrade))
		if err != nil {
			return err
		}
		if string(head) == upgrade {
			return nil
		}
		resp, err := http.ReadResponse(h.lines, nil) //nolint:bodyclose // the connection is closed, whatever it still holds
		if err != nil {
			return err
		}
		if resp.StatusCode < 200 {
			continue
		}
		rep := &reply{status: resp.StatusCode, header: resp.Header}
		if rep.status >= http.StatusBadRequest { // what else came may never end
			h.limited.N += maxProblem
			if err := rep.read(resp.Body, resp.ContentLength, wantSocket); err != nil {
				return err
			}
		}
		h.refusal = rep
		return errRefused
	}
}
