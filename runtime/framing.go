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
