package runtime

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/pinned-go/pinned"
)

// dial opens a socket to the worker over a connection in memory: both of its ends
// run the code that they would run over the network.
func (l *local) dial(ctx context.Context, q *Request) (pinned.Frames, *reply, error) {
	caller, err := l.callerIn(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	near, far := memoryConn()
	go l.accept(far, caller) //nolint:gosec // the socket outlives the context of its dialling
	return shake(ctx, q, localHost, "", nil, near)
}

// accept serves the one request that comes on a connection. It returns when the
// handler has, or when the other end is closed before the handshake.
func (l *local) accept(conn net.Conn, caller pinned.Caller) {
	h := &hijack{conn: conn, recorder: recorder{header: http.Header{}}}
	complete := false
	defer func() {
		if !h.hijacked {
			if complete || h.status != 0 {
				_ = h.write()
			}
			_ = conn.Close()
		}
	}()

	// The handler of a socket learns from the connection that its client has
	// gone, not from the context of the handshake.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h.in = bufio.NewReader(conn)
	req, err := http.ReadRequest(h.in)
	if err != nil {
		return
	}
	req.RemoteAddr = localPeer
	complete = l.serve(h, req.WithContext(callContext{ctx, caller.Depth}), caller)
}

// hijack is the answer to a handshake: a connection that is taken over, or the
// refusal.
type hijack struct {
	recorder

	conn     net.Conn
	in       *bufio.Reader
	hijacked bool
}

// Hijack hands the connection over to the handler.
func (h *hijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if h.hijacked {
		return nil, nil, http.ErrHijacked
	}
	h.hijacked = true
	return h.conn, bufio.NewReadWriter(h.in, bufio.NewWriter(h.conn)), nil
}

// Write takes in a refusal. Of any other answer nothing is wanted but the status:
// it may never end.
func (h *hijack) Write(p []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	if h.status < http.StatusBadRequest {
		return 0, errAbandoned
	}
	return h.recorder.Write(p)
}

// write sends the answer of a handshake that was refused.
func (h *hijack) write() error {
	if h.status == 0 {
		h.status = http.StatusOK
	}
	header := h.header.Clone()
	header.Set("Content-Length", strconv.Itoa(h.body.Len()))
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", h.status, http.StatusText(h.status))
	if err := header.Write(&head); err != nil {
		return err
	}
	head.WriteString("\r\n")
	_, err := io.Copy(h.conn, io.MultiReader(&head, &h.body))
	return err
}
