package postgres

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// dialer dials connections that are given up for good after a deadline.
func dialer(deadline time.Duration) pgconn.DialFunc {
	d := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
		// The session that holds the database is idle, and must see that the server is gone.
		Enable: true, Idle: deadline / 2, Interval: deadline / 6, Count: 3,
	}}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, addr)
		if tcp, ok := conn.(*net.TCPConn); ok {
			return &droppedConn{TCPConn: tcp}, err
		}
		return conn, err
	}
}

// droppedConn is a connection that drops what it hasn't sent, when it is closed after
// something took too long. The system would go on sending that, and a write that was given
// up as unknown could take effect minutes later, over newer ones.
type droppedConn struct {
	*net.TCPConn

	late atomic.Bool
}

func (c *droppedConn) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	c.note(err)
	return n, err
}

func (c *droppedConn) Write(b []byte) (int, error) {
	n, err := c.TCPConn.Write(b)
	c.note(err)
	return n, err
}

func (c *droppedConn) note(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.late.Store(true)
	}
}

// Close closes the connection.
func (c *droppedConn) Close() error {
	if c.late.Load() {
		_ = c.SetLinger(0) // it is being closed anyway
	}
	return c.TCPConn.Close()
}
