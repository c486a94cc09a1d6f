package runtime

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// armedConn counts how often its deadline is really set.
type armedConn struct {
	net.Conn

	armed int
}

func (c *armedConn) SetReadDeadline(t time.Time) error {
	c.armed++
	return c.Conn.SetReadDeadline(t)
}

// inBubble runs f with both ends of a connection, of which one keeps its deadline
// lazily, in virtual time.
func inBubble(t *testing.T, f func(t *testing.T, conn *framedConn, below *armedConn, peer net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		peer, server := net.Pipe()
		defer peer.Close()
		below := &armedConn{Conn: server}
		conn := &framedConn{Conn: below}
		defer conn.Close()
		f(t, conn, below, peer)
	})
}

// reads begins a read of a byte, and gives how long it took and its error.
func reads(conn net.Conn) func() (time.Duration, error) {
	type end struct {
		err  error
		took time.Duration
	}
	ended, begin := make(chan end, 1), time.Now()
	go func() {
		_, err := conn.Read(make([]byte, 1))
		ended <- end{err, time.Since(begin)}
	}()
	synctest.Wait()
	return func() (time.Duration, error) {
		e := <-ended
		return e.took, e.err
	}
}

func wantTimeout(t *testing.T, end func() (time.Duration, error), after time.Duration) {
	t.Helper()
	if took, err := end(); !errors.Is(err, os.ErrDeadlineExceeded) || took != after {
		t.Errorf("the read ended with %v after %v, want a timeout after %v", err, took, after)
	}
}

func TestAReadTimesOutWhenItsDeadlineSays(t *testing.T) {
	now := time.Now
	for name, test := range map[string]struct {
		before, during []func() time.Time
		after          time.Duration
	}{
		"set before":            {before: []func() time.Time{func() time.Time { return now().Add(time.Hour) }}, after: time.Hour},
		"set while it waits":    {during: []func() time.Time{func() time.Time { return now().Add(time.Second) }}, after: time.Second},
		"over while it waits":   {during: []func() time.Time{func() time.Time { return time.Unix(1, 0) }}},
		"over before":           {before: []func() time.Time{func() time.Time { return time.Unix(1, 0) }}},
		"earlier, then later":   {before: []func() time.Time{func() time.Time { return now().Add(time.Second) }, func() time.Time { return now().Add(time.Hour) }}, after: time.Hour},
		"later, then earlier":   {before: []func() time.Time{func() time.Time { return now().Add(time.Hour) }, func() time.Time { return now().Add(time.Second) }}, after: time.Second},
		"later while it waits":  {before: []func() time.Time{func() time.Time { return now().Add(time.Second) }}, during: []func() time.Time{func() time.Time { return now().Add(time.Hour) }}, after: time.Hour},
		"over, none, and again": {before: []func() time.Time{func() time.Time { return time.Unix(1, 0) }, func() time.Time { return time.Time{} }, func() time.Time { return now().Add(time.Hour) }}, after: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, conn *framedConn, _ *armedConn, _ net.Conn) {
				for _, at := range test.before {
					_ = conn.SetReadDeadline(at())
				}
				end := reads(conn)
				for _, at := range test.during {
					_ = conn.SetReadDeadline(at())
				}
				wantTimeout(t, end, test.after)
			})
		})
	}
}

func TestAReadWithoutADeadlineWaitsForEver(t *testing.T) {
	inBubble(t, func(t *testing.T, conn *framedConn, _ *armedConn, peer net.Conn) {
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		end := reads(conn)
		_ = conn.SetReadDeadline(time.Time{})
		_ = conn.SetReadDeadline(time.Unix(1, 0))
		wantTimeout(t, end, 0)
		_ = conn.SetReadDeadline(time.Time{})

		end = reads(conn)
		time.Sleep(24 * time.Hour)
		if _, err := peer.Write([]byte("G")); err != nil {
			t.Fatal(err)
		}
		if took, err := end(); err != nil || took != 24*time.Hour {
			t.Errorf("the read ended with %v after %v", err, took)
		}
	})
}

// net/http interrupts the read that waits for the client's leaving, and clears
// that, whatever the server's guards are. Nothing comes on top.
func TestTheGuardsOfARequestSetNoDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, conn *framedConn, below *armedConn, peer net.Conn) {
		request := func() {
			_ = conn.SetReadDeadline(time.Now().Add(idleConnTimeout))
			end := reads(conn)
			if _, err := peer.Write([]byte("G")); err != nil {
				t.Fatal(err)
			}
			if _, err := end(); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Time{})
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second)) // the head is in net/http's buffer
			_ = conn.SetReadDeadline(time.Time{})
			end = reads(conn)
			_ = conn.SetReadDeadline(time.Unix(1, 0))
			wantTimeout(t, end, 0)
			_ = conn.SetReadDeadline(time.Time{})
		}
		request()
		before := below.armed
		request()
		if got := below.armed - before; got != 2 {
			t.Errorf("a request set %d deadlines, want 2", got)
		}
	})
}

func TestAConnectionThatIsTakenOverHasTheDeadlineThatWasWanted(t *testing.T) {
	inBubble(t, func(t *testing.T, conn *framedConn, _ *armedConn, _ net.Conn) {
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		end := reads(conn)
		_ = conn.SetReadDeadline(time.Now().Add(time.Hour))
		wantTimeout(t, end, time.Hour)
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		wantTimeout(t, reads(unframed(conn)), time.Minute)
	})
}
