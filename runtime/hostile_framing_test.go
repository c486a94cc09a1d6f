package runtime_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pinned-go/pinned/runtime"
)

// smuggled is a request that nobody may ever find in the body of another.
const smuggled = "GET /chats/smuggled/topic HTTP/1.1\r\nHost: x\r\n\r\n"

func TestSmuggling(t *testing.T) {
	s := listen(t, nil)
	const put = "PUT /chats/a/topic HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for _, tt := range []struct {
		name, bytes string
		status      int
	}{
		{"Content-Length and Transfer-Encoding", put + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 400},
		{"the other way round", put + "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n" + smuggled, 400},
		{"in the second request", "GET /chats/a/plain HTTP/1.1\r\nHost: x\r\n\r\n" + put + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 200},
		{"two lengths", put + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello" + smuggled, 400},
		{"a list of lengths", put + "Content-Length: 5, 6\r\n\r\nhello" + smuggled, 400},
		{"a signed length", put + "Content-Length: +5\r\n\r\nhello" + smuggled, 400},
		{"a negative length", put + "Content-Length: -5\r\n\r\nhello" + smuggled, 400},
		{"a length in hex", put + "Content-Length: 0x5\r\n\r\nhello" + smuggled, 400},
		{"an endless length", put + "Content-Length: 99999999999999999999\r\n\r\nhello" + smuggled, 400},
		{"another encoding", put + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled, 501},
		{"two encodings", put + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 501},
		{"a list of encodings", put + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled, 501},
		{"a hidden encoding", put + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + smuggled, 400},
		{"a bare line feed behind a chunk's size", put + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n" + smuggled, 400},
		{"a chunk that is longer than it says", put + "Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n" + smuggled, 400},
		{"a chunk's size that is none", put + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n" + smuggled, 400},
		{"a chunk's size that overflows", put + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n0\r\n\r\n" + smuggled, 400},
		{"an extension of 1 MB", put + "Transfer-Encoding: chunked\r\n\r\n5;" + strings.Repeat("x", 1<<20) + "\r\nhello\r\n0\r\n\r\n" + smuggled, 400},
		{"chunks in HTTP/1.0", strings.Replace(put, "1.1", "1.0", 1) + "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 400},
		{"two hosts", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" + smuggled, 400},
		{"no host", "GET /chats/a/topic HTTP/1.1\r\n\r\n" + smuggled, 400},
		{"a host with a space", "GET /chats/a/topic HTTP/1.1\r\nHost: x y\r\n\r\n" + smuggled, 400},
		{"a space before the colon", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nFoo : bar\r\n\r\n" + smuggled, 400},
		{"a length behind a space", put + "Content-Length : 5\r\n\r\nhello" + smuggled, 400},
		{"a folded line", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n" + smuggled, 400},
		{"a folded first line", "GET /chats/a/topic HTTP/1.1\r\n X-A: b\r\nHost: x\r\n\r\n" + smuggled, 400},
		{"no colon", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nfoo\r\n\r\n" + smuggled, 400},
		{"NUL in a value", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nX-A: b\x00c\r\n\r\n" + smuggled, 400},
		{"NUL in a name", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nX\x00A: b\r\n\r\n" + smuggled, 400},
		{"a carriage return in a value", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nX-A: b\rc\r\n\r\n" + smuggled, 400},
		{"HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + smuggled, 505},
		{"another version", "GET /chats/a/topic HTTP/3.0\r\nHost: x\r\n\r\n" + smuggled, 505},
		{"no version", "GET /chats/a/topic\r\nHost: x\r\n\r\n" + smuggled, 400},
		{"a method that is no token", "G(T /chats/a/topic HTTP/1.1\r\nHost: x\r\n\r\n" + smuggled, 400},
		{"binary", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n" + smuggled, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, h := s.exchange(t, "GET", tt.bytes)
			if got.Status != tt.status {
				t.Errorf("%d %q, want %d", got.Status, got.Body, tt.status)
			}
			if got.Status == 200 { // the first of two
				var err error
				if got, err = h.reply("GET"); err != nil || got.Status != 400 {
					t.Errorf("the second answer: %+v, %v", got, err)
				}
			}
			if !h.closed() {
				t.Error("the connection is still open")
			}
		})
	}
	for _, id := range s.resident() {
		if id == "smuggled" {
			t.Error("a request was found in the body of another")
		}
	}
	s.alive(t)
}

func TestBodiesThatNobodyReadsAreNoRequests(t *testing.T) {
	s := listen(t, nil)
	for _, head := range []string{
		"POST /chats/a/nothing HTTP/1.1\r\nHost: x\r\n",             // 404
		"PATCH /chats/a/topic HTTP/1.1\r\nHost: x\r\n",              // 405
		"PUT /chats/a/topic HTTP/1.1\r\nHost: x\r\n",                // 415
		"GET /chats/a/topic HTTP/1.1\r\nHost: x\r\n",                // 200: a GET may have a body
		"OPTIONS /chats/a/topic HTTP/1.1\r\nHost: x\r\n",            // 204
		"PUT /chats/a/topic HTTP/1.1\r\nHost: x\r\nX-Deny: 401\r\n", // 401
	} {
		for _, body := range []string{
			"Content-Length: 51\r\n\r\n" + smuggled + "xxxx",
			"Transfer-Encoding: chunked\r\n\r\n33\r\n" + smuggled + "xxxx\r\n0\r\n\r\n",
		} {
			got, h := s.exchange(t, "GET", head+body+"GET /chats/a/plain HTTP/1.1\r\nHost: x\r\n\r\n")
			// The next is the one behind the body, unless the connection is closed.
			if next, err := h.reply("GET"); err == nil && (next.Status != 200 || next.Header.Get("Content-Type") != "text/plain; charset=utf-8") {
				t.Errorf("after %q (%d): %+v", head, got.Status, next)
			}
		}
	}
	for _, id := range s.resident() {
		if id == "smuggled" {
			t.Error("a request was found in the body of another")
		}
	}
}

func TestUpgradesToAnythingElse(t *testing.T) {
	s := listen(t, nil)
	for _, upgrade := range []string{"h2c", "foo", "TLS/1.0", "websocket2"} {
		headers := "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: " + upgrade + "\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"
		got, h := s.exchange(t, "GET", "GET /chats/a/topic HTTP/1.1\r\nHost: x\r\n"+headers+"\r\n"+smuggled)
		if got.Status != 200 || got.Header.Get("Upgrade") != "" || !h.closed() {
			t.Errorf("upgrade to %s: %+v", upgrade, got)
		}
		if got := s.get(t, "/chats/a/live", headers); got.Status != 426 {
			t.Errorf("upgrade of a socket to %s: %+v", upgrade, got)
		}
	}
}

func TestHeaderFloods(t *testing.T) {
	s := listen(t, nil)
	for _, tt := range []struct {
		name, headers string
		status        int
	}{
		{"1 MiB in one", "X-A: " + strings.Repeat("x", 1<<20) + "\r\n", 431},
		{"1 MiB in many", strings.Repeat("X-A: "+strings.Repeat("x", 1000)+"\r\n", 1<<10), 431},
		{"a cookie of 128 KiB", "Cookie: a=" + strings.Repeat("x", 128<<10) + "\r\n", 431},
		{"a query of 1 MB", "", 431},
		{"1,000 small ones", strings.Repeat("X-A: b\r\n", 1000), 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := "/chats/a/topic"
			if tt.headers == "" {
				path += "?" + strings.Repeat("a=b&", 1<<18)
			}
			if got := s.get(t, path, tt.headers); got.Status != tt.status {
				t.Errorf("%d %.100q, want %d", got.Status, got.Body, tt.status)
			}
		})
	}
	s.alive(t)
}

func TestSlowHeads(t *testing.T) {
	s := listen(t, nil, runtime.WithReadHeaderTimeout(time.Second))
	slow := make([]*hostile, many(t, 5_000))
	for i := range slow {
		slow[i] = s.connect(t)
		slow[i].send("GET /chats/a/topic HTTP/1.1\r\nHost: x\r\nX-A: ")
	}
	var done time.Duration
	for range 50 {
		began := time.Now()
		s.alive(t)
		done = max(done, time.Since(began))
	}
	if done > patience/2 {
		t.Errorf("a request beside slow ones took %v", done)
	}
	for _, h := range slow {
		if b, err := io.ReadAll(h.Conn); err != nil || len(b) > 0 && !strings.HasPrefix(string(b), "HTTP/1.1 4") {
			if netErr, ok := err.(net.Error); ok && netErr.Timeout() {
				t.Fatal("a slow head is still waited for")
			}
		}
	}
}
