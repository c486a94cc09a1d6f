package runtime

import (
	"net"
	"sync/atomic"

	"github.com/pinned-go/pinned/internal/wire"
)

// framedListener refuses requests whose length is ambiguous before net/http,
// which settles for one reading, sees them.
type framedListener struct{ net.Listener }

// Accept implements net.Listener.
func (l framedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framedConn{Conn: conn}, nil
}

// framedConn is a connection whose requests are followed. One goroutine reads at
// a time.
type framedConn struct {
	net.Conn

	framing wire.Framing
	err     error       // what every further read gets
	taken   atomic.Bool // hijacked: it is no HTTP any more
}

// Read implements net.Conn. net/http answers the error of a head with 400, and
// closes.
func (c *framedConn) Read(p []byte) (int, error) {
	if c.taken.Load() {
		return c.Conn.Read(p)
	}
	if c.err != nil {
		if len(p) == 1 {
			return 0, c.drop()
		}
		return 0, c.err
	}
	n, err := c.Conn.Read(p)
	passed, bad := c.framing.Next(p[:n])
	if bad != nil {
		c.err = bad
		if passed > 0 {
			return passed, nil
		}
		return 0, bad
	}
	return n, err
}

// drop reads on, for nothing. net/http reads a single byte while a handler runs,
// to learn that the client has left: the request before isn't to end because of
// the one that is refused.
func (c *framedConn) drop() error {
	var nothing [512]byte
	for {
		if _, err := c.Conn.Read(nothing[:]); err != nil {
			return err
		}
	}
}

// CloseWrite is for the end of a connection.
func (c *framedConn) CloseWrite() error { return closeWrite(c.Conn) }

// unframed is the connection below, once it has been hijacked.
func unframed(conn net.Conn) net.Conn {
	if c, ok := conn.(*framedConn); ok {
		c.taken.Store(true)
		return c.Conn
	}
	return conn
}
