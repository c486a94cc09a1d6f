package runtime_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned/runtime"
)

// handshake is that of a socket, with other headers in place of some of its own.
func handshake(path string, headers ...string) string {
	own := []string{"Host: worker.example:8080", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
	var b strings.Builder
	b.WriteString("GET " + path + " HTTP/1.1\r\n")
	replaced := map[string]bool{}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		replaced[strings.ToLower(name)] = true
		if value != " -" { // left out
			b.WriteString(h + "\r\n")
		}
	}
	for _, h := range own {
		if name, _, _ := strings.Cut(h, ":"); !replaced[strings.ToLower(name)] {
			b.WriteString(h + "\r\n")
		}
	}
	return b.String() + "\r\n"
}

func TestOrigins(t *testing.T) {
	own := listen(t, nil)
	named := listen(t, nil, runtime.WithOrigins("app.example", "*.good.example", "Other.Example:8443"))
	for _, tt := range []struct {
		origins        []string
		own, withNamed int
	}{
		{nil, 101, 101}, // no browser
		{[]string{"http://worker.example:8080"}, 101, 101},
		{[]string{"https://worker.example:8080"}, 101, 101}, // TLS ends before us
		{[]string{"http://WORKER.example:8080"}, 101, 101},
		{[]string{"http://worker.example"}, 403, 403},
		{[]string{"http://worker.example:8081"}, 403, 403},
		{[]string{"https://evil"}, 403, 403},
		{[]string{"null"}, 403, 403},
		{[]string{""}, 403, 403},
		{[]string{"http://worker.example:8080", "http://worker.example:8080"}, 403, 403},
		{[]string{"http://worker.example:8080", "https://evil"}, 403, 403},
		{[]string{"http://worker.example:8080.evil"}, 403, 403},
		{[]string{"http://evil-worker.example:8080"}, 403, 403},
		{[]string{"http://worker.example:8080@evil"}, 403, 403},
		{[]string{"http://evil@worker.example:8080"}, 403, 403},
		{[]string{"http://evil/worker.example:8080"}, 403, 403},
		{[]string{"http://evil#worker.example:8080"}, 403, 403},
		{[]string{"http://worker.example:8080/"}, 403, 403},
		{[]string{"http://worker.example:8080, https://evil"}, 403, 403},
		{[]string{"worker.example:8080"}, 403, 403},
		{[]string{"//worker.example:8080"}, 403, 403},
		{[]string{"file://worker.example:8080"}, 403, 403},
		{[]string{"https://app.example"}, 403, 101},
		{[]string{"https://app.example.evil"}, 403, 403},
		{[]string{"https://xapp.example"}, 403, 403},
		{[]string{"https://app.example:444"}, 403, 403},
		{[]string{"https://a.good.example"}, 403, 101},
		{[]string{"https://good.example"}, 403, 403},
		{[]string{"https://good.example.evil.tld"}, 403, 403},
		{[]string{"https://evilgood.example"}, 403, 403},
		{[]string{"https://other.example:8443"}, 403, 101},
	} {
		var headers []string
		for _, origin := range tt.origins {
			headers = append(headers, "Origin: "+origin)
		}
		for s, want := range map[*listening]int{own: tt.own, named: tt.withNamed} {
			got, err := s.handshake(t, handshake("/chats/a/live", headers...))
			if err != nil || got != want {
				t.Errorf("origins %q, named %t: %d, %v, want %d", tt.origins, s == named, got, err, want)
			}
		}
	}
	for _, s := range []*listening{own, named} {
		if ids := s.resident(); len(ids) > 1 {
			t.Errorf("resident %q", ids)
		}
	}
}

// handshake sends one and returns the status of its answer.
func (s *listening) handshake(t *testing.T, bytes string) (int, error) {
	t.Helper()
	h := s.connect(t)
	defer h.Close()
	h.send(bytes)
	var minor, status int
	_, err := fmt.Fscanf(h.r, "HTTP/1.%d %d ", &minor, &status)
	return status, err
}

func TestBadHandshakesActivateNothing(t *testing.T) {
	s := listen(t, nil)
	for _, tt := range []struct {
		name, bytes string
		status      int
	}{
		{"no upgrade", handshake("/chats/a/live", "Upgrade: -"), 426},
		{"no connection", handshake("/chats/a/live", "Connection: -"), 426},
		{"another connection", handshake("/chats/a/live", "Connection: keep-alive"), 426},
		{"an old version", handshake("/chats/a/live", "Sec-WebSocket-Version: 8"), 426},
		{"no version", handshake("/chats/a/live", "Sec-WebSocket-Version: -"), 426},
		{"no key", handshake("/chats/a/live", "Sec-WebSocket-Key: -"), 400},
		{"an empty key", handshake("/chats/a/live", "Sec-WebSocket-Key: "), 400},
		{"a short key", handshake("/chats/a/live", "Sec-WebSocket-Key: AAAA"), 400},
		{"a key that is no base64", handshake("/chats/a/live", "Sec-WebSocket-Key: ????????????????????????"), 400},
		{"two keys", handshake("/chats/a/live", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="), 400},
		{"a body", handshake("/chats/a/live", "Content-Length: 5"), 400},
		{"another method", strings.Replace(handshake("/chats/a/live"), "GET", "POST", 1), 405},
		{"HTTP/1.0", strings.Replace(handshake("/chats/a/live"), "HTTP/1.1", "HTTP/1.0", 1), 400},
		{"a path without a socket", handshake("/chats/a/nothing"), 404},
		{"a route that is none", handshake("/chats/a/plain", "X-Deny: no"), 403},
		{"a bad id", handshake("/chats/a%2Fb/live"), 400},
		{"not authorized", handshake("/chats/a/live", "X-Deny: 401"), 401},
		{"not authorized, with a reason of its own", handshake("/chats/a/live", "X-Deny: no"), 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := s.handshake(t, tt.bytes); err != nil || got != tt.status {
				t.Errorf("%d, %v, want %d", got, err, tt.status)
			}
		})
	}
	if ids := s.resident(); len(ids) > 0 {
		t.Errorf("activated %q", ids)
	}
	if got, _ := s.handshake(t, handshake("/chats/unopenable/live")); got != 500 {
		t.Errorf("a failed activation: %d", got)
	}
	if got, _ := s.handshake(t, handshake("/chats/a/live", "Connection: keep-alive, upgrade", "Upgrade: WebSocket")); got != 101 {
		t.Errorf("a good one: %d", got)
	}
}

func TestHostileFrames(t *testing.T) {
	s := listen(t, nil)
	for _, tt := range []struct {
		name, frames string
	}{
		{"without a mask", "\x81\x02{}"},
		{"reserved bits", "\xc1\x80\x00\x00\x00\x00"},
		{"an unknown opcode", "\x83\x80\x00\x00\x00\x00"},
		{"a continuation of nothing", "\x80\x80\x00\x00\x00\x00"},
		{"a message in a message", "\x01\x80\x00\x00\x00\x00\x01\x80\x00\x00\x00\x00"},
		{"a ping in parts", "\x09\x80\x00\x00\x00\x00"},
		{"a long ping", "\x89\xfe\x00\x80\x00\x00\x00\x00" + strings.Repeat("x", 128)},
		{"a close of one byte", "\x88\x81\x00\x00\x00\x00\x03"},
		{"a close with a code that can't be sent", "\x88\x82\x00\x00\x00\x00\x03\xed"},
		{"a frame of 2^63 bytes", "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"a frame of 2^62 bytes", "\x81\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"a message in a million parts", "\x01\x80\x00\x00\x00\x00" + strings.Repeat("\x00\x81\x00\x00\x00\x00 ", 1_200_000)},
		{"compressed though nobody agreed", "\xc1\x82\x00\x00\x00\x00\xaa\x00"},
		{"HTTP", smuggled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := s.connect(t)
			h.send(handshake("/chats/frames/live", "Sec-WebSocket-Extensions: permessage-deflate"))
			head, err := h.r.ReadString('\n')
			for line := head; err == nil && line != "\r\n"; {
				line, err = h.r.ReadString('\n')
				if strings.Contains(strings.ToLower(line), "extensions") {
					t.Errorf("an extension was agreed on: %s", line)
				}
			}
			if err != nil || !strings.Contains(head, " 101 ") {
				t.Fatalf("%q, %v", head, err)
			}
			go h.send(tt.frames)
			if _, err := io.ReadAll(h.r); err != nil && !strings.Contains(err.Error(), "reset") && !strings.Contains(err.Error(), "broken pipe") {
				t.Errorf("the connection wasn't closed: %v", err)
			}
		})
	}
	s.alive(t)
}

func TestHalfOpenSocketsDontHoldUpOthers(t *testing.T) {
	s := listen(t, nil)
	for range 50 {
		h := s.connect(t)
		h.send(handshake("/chats/a/live"))
		h.send("\x81\xfe\xff\xff") // the beginning of a frame that never comes
	}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+s.addr+"/chats/a/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := say(t, conn, `{"say":"hello"}`); !strings.Contains(got, "hello") {
		t.Errorf("heard %s", got)
	}
}
