package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

func TestSocketsCountRoundTrips(t *testing.T) {
	var trips atomic.Int64
	upgrader := websocket.Upgrader{}
	s := at(t, func(w http.ResponseWriter, req *http.Request) {
		conn, err := upgrader.Upgrade(w, req, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		for {
			kind, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			// A ping in between is answered, and isn't taken for the echo.
			if err := conn.WriteControl(websocket.PingMessage, []byte("p"), time.Now().Add(time.Minute)); err != nil {
				return
			}
			trips.Add(1)
			if err := conn.WriteMessage(kind, message); err != nil {
				return
			}
		}
	})
	work := sockets{
		address: s.address, path: "/", conns: 4, say: "hello",
		heard: func(answer []byte) error {
			if string(answer) != `"hello"` {
				return fmt.Errorf("heard %q", answer)
			}
			return nil
		},
	}
	total, err := work.run(t.Context(), 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if want := int(trips.Load()) - 4; total.ok != want || total.ok == 0 {
		t.Errorf("counted %d, want %d", total.ok, want)
	}
}

func TestSocketsFailOnWhatIsNoEcho(t *testing.T) {
	upgrader := websocket.Upgrader{}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"no handshake": {
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not here", http.StatusNotFound) },
			"404 Not Found: not here",
		},
		"a close": {
			func(w http.ResponseWriter, req *http.Request) {
				conn, err := upgrader.Upgrade(w, req, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1011, "broken"), time.Now().Add(time.Minute))
			},
			"closed the connection",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := at(t, tc.handler)
			work := sockets{address: s.address, path: "/", conns: 1, say: "x", heard: func([]byte) error { return nil }}
			_, err := work.run(t.Context(), time.Minute)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}
