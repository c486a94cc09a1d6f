package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/runtime"
)

// socketRoute is a socket whose handler is f.
func socketRoute(pattern string, f func(ctx context.Context, r *thing, conn *pinned.Conn[string, string]) error) thingRoute {
	return thingRoute{Method: "WEBSOCKET", Pattern: pattern, Limit: 1 << 10, Serve: func(c *runtime.Call) {
		if ctx, r, conn, ok := runtime.Accept[thing, string, string](c); ok {
			c.Hangup(f(ctx, r, conn))
		}
	}}
}

func echo(ctx context.Context, _ *thing, conn *pinned.Conn[string, string]) error {
	for in, err := range conn.All(ctx) {
		if err != nil {
			return err
		}
		if err := conn.Send(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// dial opens a socket by hand.
func (s *served) dial(t *testing.T, path string, header ...string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+path, h)
	if err == nil {
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetReadDeadline(time.Now().Add(patience))
	}
	return conn, resp, err
}

func (s *served) mustDial(t *testing.T, path string, header ...string) *websocket.Conn {
	t.Helper()
	conn, resp, err := s.dial(t, path, header...)
	if err != nil {
		t.Fatalf("dial: %v %+v", err, resp)
	}
	return conn
}

// say sends a message and returns the answer.
func say(t *testing.T, conn *websocket.Conn, message string) string {
	t.Helper()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		t.Fatal(err)
	}
	return hear(t, conn)
}

func hear(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	_, got, err := conn.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// closing is the close frame that ends a connection.
func closing(t *testing.T, conn *websocket.Conn) (code int, reason string) {
	t.Helper()
	for {
		_, _, err := conn.ReadMessage()
		if err == nil {
			continue
		}
		closed, ok := errors.AsType[*websocket.CloseError](err)
		if !ok {
			t.Fatalf("the connection ended with %v, not with a close frame", err)
		}
		return closed.Code, closed.Text
	}
}

func TestSocketCarriesTypedMessages(t *testing.T) {
	s := serveRooms(t)
	conn := s.mustDial(t, "/chats/lobby/live")
	if got := say(t, conn, `{"say":"hello"}`); got != `{"heard":"hello","online":1}` {
		t.Errorf("heard %s", got)
	}
	other := s.mustDial(t, "/chats/lobby/live")
	if got := say(t, other, `{"say":"hi","newer":true}`); got != `{"heard":"hi","online":2}` {
		t.Errorf("heard %s", got)
	}
}

func TestSenderThatWaitsHoldsNoTurn(t *testing.T) {
	sending := make(chan struct{}, 1<<16)
	over := make(chan error, 1)
	s := serveThings(t, nil, countRoute, abortRoute, socketRoute("/s", func(ctx context.Context, _ *thing, conn *pinned.Conn[string, string]) error {
		for {
			sending <- struct{}{}
			if err := conn.Send(ctx, strings.Repeat("x", 1<<20)); err != nil {
				over <- err
				return err
			}
		}
	}))
	conn := s.mustDial(t, "/things/a/s")
	await(t, "the first message", sending)
	for i := range 20 {
		if got := s.do(t, "POST", "/things/a/count", ""); got.Status != 200 {
			t.Fatalf("request %d beside a socket that nobody reads: %+v", i, got)
		}
	}
	if n := len(sending); n > 64 {
		t.Errorf("%d MiB were sent to a client that hasn't read", n)
	}
	_ = conn.NetConn().Close()
	await(t, "the sender's error", over)

	// The end of the instance ends one that waits for a client as well.
	s.mustDial(t, "/things/b/s")
	await(t, "the first message", sending)
	if got := s.do(t, "POST", "/things/b/abort", ""); got.Status != 503 {
		t.Errorf("abort: %+v", got)
	}
	await(t, "the sender's error", over)
}

func TestForwardSendsBesideTheLoop(t *testing.T) {
	s := serveThings(t, thingErrors, socketRoute("/s", func(ctx context.Context, r *thing, conn *pinned.Conn[string, string]) error {
		more := make(chan string)
		conn.Forward(ctx, func(yield func(string, error) bool) {
			for {
				var next string
				err := pinned.Await(ctx, func(ctx context.Context) error {
					select {
					case next = <-more:
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				r.count++ // in a turn: the race detector says if not
				if next == "fail" {
					err = errFull
				}
				if !yield("forwarded "+next, err) || err != nil {
					return
				}
			}
		})
		for in, err := range conn.All(ctx) {
			if err != nil {
				return err
			}
			r.count++
			_ = pinned.Await(ctx, func(context.Context) error { more <- in; return nil })
		}
		return nil
	}))
	conn := s.mustDial(t, "/things/a/s")
	for range 3 {
		if got := say(t, conn, `"a"`); got != `"forwarded a"` {
			t.Errorf("heard %s", got)
		}
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`"fail"`)); err != nil {
		t.Fatal(err)
	}
	if code, reason := closing(t, conn); code != 4507 || reason != "full" {
		t.Errorf("an error of the sequence closed with %d %q", code, reason)
	}

	// And the end of the handler ends the sequence: Shutdown waits for it.
	conn = s.mustDial(t, "/things/b/s")
	if got := say(t, conn, `"a"`); got != `"forwarded a"` {
		t.Errorf("heard %s", got)
	}
	_ = conn.NetConn().Close()
}

func TestConcurrentSendsDontMix(t *testing.T) {
	const senders, each = 8, 50
	s := serveThings(t, nil, thingRoute{Method: "WEBSOCKET", Pattern: "/s", Concurrent: true, Serve: func(c *runtime.Call) {
		ctx, _, conn, ok := runtime.Accept[thing, string, string](c)
		if !ok {
			return
		}
		var all sync.WaitGroup
		for i := range senders {
			all.Go(func() {
				for range each {
					if err := conn.Send(ctx, strings.Repeat(string(rune('a'+i)), 5000)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		c.Hangup(nil)
	}})
	conn := s.mustDial(t, "/things/a/s")
	counts := map[string]int{}
	for range senders * each {
		var got string
		if err := json.Unmarshal([]byte(hear(t, conn)), &got); err != nil {
			t.Fatal(err)
		}
		if strings.Trim(got, got[:1]) != "" || len(got) != 5000 {
			t.Fatalf("a mixed message %.40q", got)
		}
		counts[got[:1]]++
	}
	if code, _ := closing(t, conn); code != 1000 || len(counts) != senders {
		t.Errorf("code %d, counts %v", code, counts)
	}
}

func TestReceiveEndsWithItsContext(t *testing.T) {
	got := make(chan error, 1)
	s := serveThings(t, nil, socketRoute("/s", func(ctx context.Context, _ *thing, conn *pinned.Conn[string, string]) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		defer cancel()
		_, err := conn.Receive(ctx)
		got <- err
		return nil
	}))
	s.mustDial(t, "/things/a/s")
	if err := await(t, "the end of Receive", got); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Receive ended with %v", err)
	}
}

func TestBytesBehindTheHandshakeAreNotLost(t *testing.T) {
	s := serveThings(t, nil, socketRoute("/echo", echo))
	conn := s.tcp(t)
	// A masked frame of "hi" in the segment of the handshake.
	frame := []byte{0x81, 0x84, 1, 2, 3, 4, '"' ^ 1, 'h' ^ 2, 'i' ^ 3, '"' ^ 4}
	head := "GET /things/a/echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	if _, err := conn.Write(append([]byte(head), frame...)); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for !bytes.HasSuffix(got, []byte("\r\n\r\n\x81\x04\"hi\"")) {
		b := make([]byte, 512)
		n, err := conn.Read(b)
		got = append(got, b[:n]...)
		if err != nil {
			t.Fatalf("%q, %v", got, err)
		}
	}
}

// tcp connects to the server, for what no HTTP client would send.
func (s *served) tcp(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", s.Listener.Addr().String(), patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return conn
}

func TestFramesForTestsMakeAConn(t *testing.T) {
	f := &fakeFrames{in: []string{`"a"`, `{`}}
	conn := pinned.NewConn[string, int](f)
	ctx := t.Context()
	if got, err := conn.Receive(ctx); got != "a" || err != nil {
		t.Errorf("received %q, %v", got, err)
	}
	if err := conn.Send(ctx, 7); err != nil || f.out[0] != "7" {
		t.Errorf("sent %q, %v", f.out, err)
	}
	if _, err := conn.Receive(ctx); err == nil || f.code != 1007 {
		t.Errorf("a message that doesn't decode: %v, code %d", err, f.code)
	}
	for range conn.All(ctx) {
		t.Error("a message after the end")
	}
	if err := conn.Close(4000, strings.Repeat("é", 200)); err != nil || len(f.reason) > 123 || len(f.reason) < 120 {
		t.Errorf("a long reason became %d bytes, %v", len(f.reason), err)
	}
}

type fakeFrames struct {
	in, out []string
	code    int
	reason  string
}

func (f *fakeFrames) ReadFrame(context.Context) ([]byte, error) {
	if len(f.in) == 0 {
		return nil, io.EOF
	}
	next := f.in[0]
	f.in = f.in[1:]
	return []byte(next), nil
}

func (f *fakeFrames) WriteFrame(_ context.Context, m []byte) error {
	f.out = append(f.out, string(m))
	return nil
}

func (f *fakeFrames) Close(code int, reason string) error {
	f.code, f.reason = code, reason
	return nil
}

var _ iter.Seq2[string, error] = pinned.NewConn[string, string](nil).All(context.Background())
