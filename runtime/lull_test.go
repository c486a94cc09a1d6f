package runtime

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned/internal/clock"
)

// readConn counts how often it is really read.
type readConn struct {
	net.Conn

	reads atomic.Int32
}

func (c *readConn) Read(p []byte) (int, error) {
	c.reads.Add(1)
	return c.Conn.Read(p)
}

// inLull runs f with both ends of a connection, of which one holds reads of a byte
// back, in virtual time.
func inLull(t *testing.T, f func(t *testing.T, conn *framedConn, below *readConn, peer net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		peer, server := net.Pipe()
		defer peer.Close()
		below := &readConn{Conn: server}
		conn := &framedConn{Conn: below, deadline: lazyDeadline{lulls: &lulls{clock: clock.System}}}
		defer conn.Close()
		f(t, conn, below, peer)
	})
}

func TestAReadBehindAShortHandlerNeverBegins(t *testing.T) {
	inLull(t, func(t *testing.T, conn *framedConn, below *readConn, _ net.Conn) {
		for range 3 {
			end := reads(conn)
			if err := conn.SetReadDeadline(time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			wantTimeout(t, end, 0)
			wantTimeout(t, reads(conn), 0)
			if err := conn.SetReadDeadline(time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
		if n := below.reads.Load(); n != 0 {
			t.Errorf("the connection was read %d times", n)
		}
	})
}

func TestAReadBehindALongHandlerLearnsThatTheClientLeft(t *testing.T) {
	inLull(t, func(t *testing.T, conn *framedConn, below *readConn, peer net.Conn) {
		end := reads(conn)
		_ = peer.Close()
		took, err := end()
		if !errors.Is(err, io.EOF) || took < lullTime || took > 2*lullTime {
			t.Errorf("%v after %v, want the end of the connection after %v to %v", err, took, lullTime, 2*lullTime)
		}
		if n := below.reads.Load(); n != 1 {
			t.Errorf("the connection was read %d times", n)
		}
	})
}

func TestOthersReadAtOnce(t *testing.T) {
	inLull(t, func(t *testing.T, conn *framedConn, _ *readConn, peer net.Conn) {
		go func() { _, _ = io.WriteString(peer, "GET") }()
		begin := time.Now()
		b := make([]byte, 4096)
		if n, err := conn.Read(b); err != nil || string(b[:n]) != "GET" {
			t.Fatalf("%q, %v", b[:n], err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("a head was read after %v", took)
		}
	})
}

func TestAReadHeldBackIsEndedByItsDeadlineOrTheClose(t *testing.T) {
	inLull(t, func(t *testing.T, conn *framedConn, _ *readConn, _ net.Conn) {
		if err := conn.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		wantTimeout(t, reads(conn), time.Second)
		if err := conn.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		end := reads(conn)
		_ = conn.Close()
		if took, err := end(); took != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the read of a closed connection ended with %v after %v", err, took)
		}
	})
}
