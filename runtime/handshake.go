package runtime

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// isUpgrade reports whether a request asks for a WebSocket.
func isUpgrade(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// handshakeFault says why a handshake is refused, before anything of the
// author's runs: its origin, or its form. The status is 0 if it isn't.
func (c *Call) handshakeFault() (status int, detail string) {
	h := c.req.Header
	if !originAllowed(c.req, c.w.origins) {
		return http.StatusForbidden, "the origin of the page is not allowed"
	}
	if c.req.ProtoMajor != 1 || c.req.ProtoMinor < 1 {
		return http.StatusBadRequest, "a WebSocket needs HTTP/1.1"
	}
	if c.req.ContentLength != 0 {
		return http.StatusBadRequest, "a handshake has no body"
	}
	if !hasToken(h["Sec-Websocket-Version"], "13") {
		c.rw.Header().Set("Sec-WebSocket-Version", "13")
		return http.StatusUpgradeRequired, "the version of the WebSocket protocol is 13"
	}
	keys := h["Sec-Websocket-Key"]
	if len(keys) != 1 {
		return http.StatusBadRequest, "the handshake has no Sec-WebSocket-Key, or several"
	}
	if key, err := base64.StdEncoding.DecodeString(keys[0]); err != nil || len(key) != 16 {
		return http.StatusBadRequest, "the Sec-WebSocket-Key is not 16 bytes in base64"
	}
	return 0, ""
}

func hasToken(values []string, token string) bool {
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			if strings.TrimSpace(part) == token {
				return true
			}
		}
	}
	return false
}

// originAllowed reports whether the page that opens a socket may: browsers let
// any page try, with the user's cookies. Who sends no Origin is no browser. A
// page of the same host may, and those of hosts that WithOrigins names.
func originAllowed(r *http.Request, patterns []string) bool {
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	u, err := url.Parse(origins[0])
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Scheme != "http" {
		return false
	}
	// A plain page is anybody's on the network between, so it is no page of a
	// host that is served by TLS. The other way round TLS may end before us.
	if strings.EqualFold(u.Host, r.Host) {
		return r.TLS == nil || u.Scheme == "https"
	}
	host := strings.ToLower(u.Host)
	for _, pattern := range patterns {
		if ok, _ := path.Match(pattern, host); ok {
			return true
		}
	}
	return false
}

// socketBuffers are borrowed while a message is written.
var socketBuffers sync.Pool

// An idle socket keeps the smallest read buffer that holds a frame's head and a
// usual message.
const (
	socketReadBuffer  = 512
	socketWriteBuffer = 4 << 10
	handshakeTime     = 10 * time.Second
)

// upgrade answers the handshake. What the client has sent behind it is not lost.
func upgrade(rw http.ResponseWriter, r *http.Request) (*websocket.Conn, error) {
	u := websocket.Upgrader{
		HandshakeTimeout: handshakeTime,
		ReadBufferSize:   socketReadBuffer,
		WriteBufferSize:  socketWriteBuffer,
		WriteBufferPool:  &socketBuffers,
		CheckOrigin:      func(*http.Request) bool { return true }, // handshakeFault has
		Error:            func(http.ResponseWriter, *http.Request, int, error) {},
	}
	return u.Upgrade(&hijacker{rw}, r, nil)
}

// hijacker keeps what the client sent right behind its handshake, which the
// library takes for a fault.
type hijacker struct{ http.ResponseWriter }

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	conn = unframed(conn)
	early, err := rw.Peek(rw.Reader.Buffered())
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	if len(early) > 0 {
		conn = &earlyConn{Conn: conn, early: bytes.NewReader(bytes.Clone(early))}
	}
	return conn, bufio.NewReadWriter(bufio.NewReader(conn), rw.Writer), nil
}

// earlyConn is a connection of which some bytes have been read already.
type earlyConn struct {
	net.Conn

	early *bytes.Reader
}

// Read implements net.Conn.
func (c *earlyConn) Read(p []byte) (int, error) {
	if c.early.Len() > 0 {
		return c.early.Read(p)
	}
	return c.Conn.Read(p)
}

// CloseWrite ends the sending half, where the connection has halves.
func (c *earlyConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// linger lets the other side read what was sent last before the connection is
// closed: what it still sends is dropped, until it closes too.
func linger(conn net.Conn) {
	_ = closeWrite(conn)
	_ = conn.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}

const lingerTime = 2 * time.Second
