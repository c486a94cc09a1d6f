package runtime

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/pinned-go/pinned/internal/wire"
)

// framedListener refuses requests whose length is ambiguous before net/http,
// which settles for one reading, sees them.
type framedListener struct {
	net.Listener

	lulls *lulls
}

// Accept implements net.Listener.
func (l framedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framedConn{Conn: conn, deadline: lazyDeadline{lulls: l.lulls}}, nil
}

// framedConn is a connection whose requests are followed. One goroutine reads at
// a time.
type framedConn struct {
	net.Conn

	framing  wire.Framing
	deadline lazyDeadline
	err      error       // what every further read gets
	taken    atomic.Bool // hijacked: it is no HTTP any more
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
	if len(p) == 1 && !c.deadline.hold() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := c.read(p)
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
		if _, err := c.read(nothing[:]); err != nil {
			return err
		}
	}
}

// read reads until the deadline that is wanted.
func (c *framedConn) read(p []byte) (int, error) {
	for {
		if err := c.deadline.begin(c.Conn); err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(p)
		if !c.deadline.again(c.Conn, err) || n > 0 {
			return n, err
		}
	}
}

// SetReadDeadline implements net.Conn.
func (c *framedConn) SetReadDeadline(t time.Time) error { return c.deadline.set(c.Conn, t) }

// SetDeadline implements net.Conn.
func (c *framedConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Close implements net.Conn.
func (c *framedConn) Close() error {
	err := c.Conn.Close()
	c.deadline.release()
	return err
}

// CloseWrite is for the end of a connection.
func (c *framedConn) CloseWrite() error { return closeWrite(c.Conn) }

// unframed is the connection below, once it has been hijacked.
func unframed(conn net.Conn) net.Conn {
	if c, ok := conn.(*framedConn); ok {
		c.taken.Store(true)
		c.deadline.settle(c.Conn)
		return c.Conn
	}
	return conn
}
