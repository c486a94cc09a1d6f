package runtime

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/clock"
)

// pingClock runs what should happen after a ping's interval when the test says.
type pingClock struct {
	clock.Clock

	mu    sync.Mutex
	next  func()
	armed chan struct{}
}

func (c *pingClock) AfterFunc(d time.Duration, f func()) func() bool {
	if d != pingInterval {
		return c.Clock.AfterFunc(d, f)
	}
	c.mu.Lock()
	c.next = f
	c.mu.Unlock()
	c.armed <- struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.next = nil
		return true
	}
}

// pass lets an interval pass, and reports whether another one begins.
func (c *pingClock) pass() bool {
	c.mu.Lock()
	f := c.next
	c.next = nil
	c.mu.Unlock()
	if f == nil {
		return false
	}
	f()
	select {
	case <-c.armed:
		return true
	default:
		return false
	}
}

type pinged struct{ pinned.Object }

// servePinged serves a socket whose handler waits for messages, or only for the
// end if deaf is set.
func servePinged(t *testing.T, deaf bool) (c *pingClock, addr string, sockets <-chan *socket, ends <-chan error) {
	t.Helper()
	c = &pingClock{Clock: clock.System, armed: make(chan struct{}, 100)}
	w := newTestWorker(t, withClock(c))
	opened, ended := make(chan *socket, 1), make(chan error, 1)
	Register(w, Class[pinged]{
		Name: "Pinged", Namespace: "/pinged",
		Base:  func(p *pinged) *pinned.Object { return &p.Object },
		Match: func(method, _ string, _ *Args) int { return slices.Index([]string{websocketMethod}, method) },
		Routes: []Route[pinged]{{Method: "WEBSOCKET", Pattern: "/", Serve: func(c *Call) {
			ctx, _, conn, ok := Accept[pinged, string, string](c)
			if !ok {
				return
			}
			opened <- c.socket
			var err error
			if deaf {
				err = pinned.Await(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
			} else {
				_, err = conn.Receive(ctx)
			}
			ended <- err
			c.Hangup(err)
		}}},
	})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return c, server.Listener.Addr().String(), opened, ended
}

// shakeHands opens a socket that says nothing more.
func shakeHands(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write([]byte("GET /pinged/a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != 101 {
		t.Fatalf("%+v, %v", resp, err)
	}
	return conn
}

func TestSilentPeersAreNoticed(t *testing.T) {
	c, addr, sockets, ends := servePinged(t, false)
	shakeHands(t, addr)
	s := <-sockets
	<-c.armed
	for !s.reading.Load() {
		goruntime.Gosched()
	}
	for range maxSilent { // the first only asks
		if !c.pass() {
			t.Fatal("the peer was given up too early")
		}
	}
	if c.pass() {
		t.Error("the peer is still waited for")
	}
	if err := <-ends; err == nil {
		t.Error("Receive didn't fail")
	}
}

func TestPeersThatAnswerPingsStay(t *testing.T) {
	c, addr, sockets, ends := servePinged(t, false)
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+addr+"/pinged/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() { _, _, _ = conn.ReadMessage() }() // which answers pings
	s := <-sockets
	<-c.armed
	for range 3 * maxSilent {
		if !c.pass() {
			t.Fatal("a peer that answers was given up")
		}
		for !s.heard.Load() {
			goruntime.Gosched()
		}
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`"hi"`)); err != nil {
		t.Fatal(err)
	}
	if err := <-ends; err != nil {
		t.Errorf("Receive failed: %v", err)
	}
}

func TestHandlersThatDontReadAreNotTakenForSilentPeers(t *testing.T) {
	c, addr, sockets, ends := servePinged(t, true)
	conn := shakeHands(t, addr)
	<-sockets
	<-c.armed
	for range 3 * maxSilent {
		if !c.pass() {
			t.Fatal("a peer whose answers nobody reads was given up")
		}
	}
	// It is noticed when it has gone for good, which resets the connection.
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
	for c.pass() {
		goruntime.Gosched()
	}
	if err := <-ends; err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("the handler ended with %v", err)
	}
}
