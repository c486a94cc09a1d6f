package runtime_test

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
)

// rawServer answers every connection with the same bytes, once it has read a request's
// head, and closes it.
func rawServer(t *testing.T, answer string) (base string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer func() { _ = conn.Close() }()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.WriteString(conn, answer)
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		wg.Wait()
	})
	return "http://" + listener.Addr().String()
}

// wholeAnswer is a whole answer with a length.
func wholeAnswer(status int, contentType, body string, headers ...string) string {
	head := fmt.Sprintf("HTTP/1.1 %d Whatever\r\nContent-Type: %s\r\nContent-Length: %d\r\n", status, contentType, len(body))
	for _, h := range headers {
		head += h + "\r\n"
	}
	return head + "Connection: close\r\n\r\n" + body
}

func chunkedAnswer(contentType, body, end string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n%x\r\n%s\r\n%s", contentType, len(body), body, end)
}

const (
	ndjsonType  = "application/x-ndjson"
	problemType = "application/problem+json"
)

func TestNoAnswerIsTakenForAResultThatIsNone(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })

	for name, tc := range map[string]struct {
		answer  string
		status  int
		outcome pinned.Outcome
		detail  string
	}{
		"a proxy's page":               {wholeAnswer(503, "text/html", "<h1>Unavailable</h1>"), 503, pinned.Unknown, "text/html"},
		"a proxy's bad gateway":        {wholeAnswer(502, "text/plain", "bad gateway\n"), 502, pinned.Unknown, "bad gateway"},
		"another server's 404":         {wholeAnswer(404, "text/plain; charset=utf-8", "404 page not found\n"), 404, pinned.Unknown, "page not found"},
		"an error without a body":      {wholeAnswer(500, "", ""), 500, pinned.Unknown, "no worker"},
		"a problem that isn't JSON":    {wholeAnswer(500, problemType, "{"), 500, pinned.Unknown, "problem"},
		"a problem that is a list":     {wholeAnswer(500, problemType, "[1]"), 500, pinned.Unknown, "problem"},
		"a problem without members":    {wholeAnswer(500, problemType, "{}"), 500, pinned.Unknown, "problem"},
		"an unknown code":              {wholeAnswer(409, problemType, `{"title":"T","status":409,"detail":"D","code":"new","data":{"a":1}}`), 409, pinned.Ran, "D"},
		"a status that differs":        {wholeAnswer(409, problemType, `{"title":"T","status":200,"detail":"D"}`), 409, pinned.Ran, "D"},
		"an older worker's":            {wholeAnswer(404, "application/json", `{"detail":"Not Found"}`), 404, pinned.Ran, "Not Found"},
		"a 503 that is no refusal":     {wholeAnswer(503, problemType, `{"title":"T","status":503,"detail":"D"}`, "Retry-After: 1"), 503, pinned.Unknown, "D"},
		"a refusal that is no 503":     {wholeAnswer(500, problemType, `{"title":"T","status":500,"detail":"D"}`, "pinned-refusal: busy", "Retry-After: 1"), 500, pinned.Ran, "D"},
		"a redirect":                   {wholeAnswer(302, "text/html", "x", "Location: http://127.0.0.1:1/"), 302, pinned.Unknown, "text/html"},
		"a result that isn't JSON":     {wholeAnswer(200, "application/json", "{]"), 200, pinned.Unknown, "decode"},
		"a portal's page":              {wholeAnswer(200, "text/html", "<html>log in"), 200, pinned.Unknown, "decode"},
		"an empty result":              {wholeAnswer(200, "application/json", ""), 200, pinned.Unknown, "decode"},
		"trailing data":                {wholeAnswer(200, "application/json", `{"text":"a"}{}`), 200, pinned.Unknown, "decode"},
		"another type":                 {wholeAnswer(200, "application/json", `{"text":1}`), 200, pinned.Unknown, "decode"},
		"no content":                   {"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", 204, pinned.Unknown, "decode"},
		"nothing":                      {"", 0, pinned.Unknown, "EOF"},
		"half a head":                  {"HTTP/1.1 200 O", 0, pinned.Unknown, "EOF"},
		"another protocol":             {"SSH-2.0-OpenSSH_9.6\r\n", 0, pinned.Unknown, "malformed"},
		"half a result":                {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", 0, pinned.Unknown, "EOF"},
		"half a problem":               {"HTTP/1.1 500 X\r\nContent-Type: application/problem+json\r\nContent-Length: 100\r\n\r\n{", 500, pinned.Unknown, "problem"},
		"a head that is too large":     {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", 0, pinned.Unknown, "exceeded"},
		"a length that is a lie":       {"HTTP/1.1 500 X\r\nContent-Type: text/plain\r\nContent-Length: 9223372036854775807\r\n\r\nx", 500, pinned.Unknown, "x"},
		"a problem that is too large":  {wholeAnswer(500, problemType, `{"title":"T","detail":"`+strings.Repeat("x", 2<<20)+`"}`), 500, pinned.Unknown, "problem"},
		"an informational answer only": {"HTTP/1.1 103 Early Hints\r\n\r\n", 0, pinned.Unknown, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			room := sample.NewClient(rawServer(t, tc.answer)).Room("lobby")
			topic, err := room.Topic(t.Context())
			e := wantError(t, err, tc.status, tc.outcome)
			if !strings.Contains(err.Error(), tc.detail) || e.Retryable() || topic != (sample.Topic{}) {
				t.Errorf("%+v, %v", topic, err)
			}
			if len(err.Error()) > 3000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if tc.status != 204 {
				if err := room.Wait(t.Context()); err == nil && tc.status != 200 || tc.status == 200 && strings.Contains(tc.answer, "html") && err == nil {
					t.Error("a call without a result got one")
				}
			}
			n := 0
			for _, err := range room.Upper(t.Context()) {
				n++
				if _, ok := errors.AsType[*pinned.Error](err); !ok {
					t.Errorf("a stream gave %v", err)
				}
			}
			if n != 1 {
				t.Errorf("a stream gave %d things", n)
			}
			_, err = room.Live(t.Context())
			if name == "half a result" {
				tc.status = 200 // the head alone says that it is no handshake
			}
			wantError(t, err, tc.status, tc.outcome)
		})
	}
}

func TestResultsHaveTheirOwnType(t *testing.T) {
	room := sample.NewClient(rawServer(t, wholeAnswer(200, "text/html", "<p>"))).Room("lobby")
	_, err := room.Plain(t.Context())
	wantError(t, err, 200, pinned.Unknown)
	_, err = room.Blob(t.Context())
	wantError(t, err, 200, pinned.Unknown)
	_, err = room.Export(t.Context())
	wantError(t, err, 200, pinned.Unknown)

	// A newer worker's route may have come to give a result.
	for _, kind := range []string{"application/json", "text/plain; charset=utf-8", "application/octet-stream"} {
		if err := sample.NewClient(rawServer(t, wholeAnswer(200, kind, "1"))).Room("lobby").Wait(t.Context()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestOnlyACompleteStreamEndsCleanly(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })

	for name, tc := range map[string]struct {
		answer   string
		elements int
		status   int // -1: it ends cleanly
		is       error
	}{
		"complete":                         {chunkedAnswer(ndjsonType, "\"a\"\n\"b\"\n", "0\r\n\r\n"), 2, -1, nil},
		"empty":                            {"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: 0\r\n\r\n", 0, -1, nil},
		"cut off between elements":         {chunkedAnswer(ndjsonType, "\"a\"\n", ""), 1, 0, io.ErrUnexpectedEOF},
		"cut off in an element":            {chunkedAnswer(ndjsonType, "\"a\"\n\"b", ""), 1, 0, io.ErrUnexpectedEOF},
		"an end without a line break":      {chunkedAnswer(ndjsonType, "\"a\"\n\"b\"", "0\r\n\r\n"), 1, 0, io.ErrUnexpectedEOF},
		"an author's error":                {chunkedAnswer(ndjsonType, "\"a\"\n\x1e{\"title\":\"T\",\"status\":423,\"detail\":\"D\",\"code\":\"locked\"}\n", ""), 1, 423, sample.ErrLocked},
		"an author's error, a clean end":   {chunkedAnswer(ndjsonType, "\x1e{\"title\":\"T\",\"status\":423,\"detail\":\"D\",\"code\":\"locked\"}\n\"b\"\n", "0\r\n\r\n"), 0, 423, sample.ErrLocked},
		"an abort":                         {chunkedAnswer(ndjsonType, "\"a\"\n\x1e{\"title\":\"T\",\"status\":503,\"detail\":\"instance aborted\"}\n", ""), 1, 503, nil},
		"a record that isn't JSON":         {chunkedAnswer(ndjsonType, "\x1e{\n", ""), 0, 500, nil},
		"a record with a success's status": {chunkedAnswer(ndjsonType, "\x1e{\"title\":\"T\",\"status\":200,\"detail\":\"D\"}\n", ""), 0, 500, nil},
		"an element that isn't JSON":       {chunkedAnswer(ndjsonType, "\"a\"\nx\n", "0\r\n\r\n"), 1, 200, nil},
		"an empty line":                    {chunkedAnswer(ndjsonType, "\"a\"\n\n\"b\"\n", "0\r\n\r\n"), 1, 200, nil},
		"an element of another type":       {chunkedAnswer(ndjsonType, "\"a\"\n1\n", "0\r\n\r\n"), 1, 200, nil},
		"Server-Sent Events":               {chunkedAnswer("text/event-stream", "data: \"a\"\n\n", "0\r\n\r\n"), 0, 200, nil},
		"a JSON list":                      {wholeAnswer(200, "application/json", `["a"]`), 0, 200, nil},
	} {
		t.Run(name, func(t *testing.T) {
			n, ended := 0, false
			for word, err := range sample.NewClient(rawServer(t, tc.answer)).Room("lobby").Upper(t.Context()) {
				if ended {
					t.Fatal("the stream went on after its error")
				}
				if err == nil {
					n++
					continue
				}
				ended = true
				e, ok := errors.AsType[*pinned.Error](err)
				if !ok || e.Status != tc.status || word != "" || tc.is != nil && !errors.Is(err, tc.is) {
					t.Errorf("it ended with %q and %v", word, err)
				}
			}
			if n != tc.elements || ended != (tc.status != -1) {
				t.Errorf("%d elements, and an error: %v", n, ended)
			}
		})
	}
}

func TestSocketsTellTheirEnds(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })

	for name, tc := range map[string]struct {
		end       string // bytes after the handshake
		status    int    // -1: io.EOF
		outcome   pinned.Outcome
		retryable bool
		is        error
	}{
		"1000":                 {closeFrame(1000, ""), -1, 0, false, io.EOF},
		"1001":                 {closeFrame(1001, ""), -1, 0, false, io.EOF},
		"no code":              {"\x88\x00", -1, 0, false, io.EOF},
		"no frame":             {"", 0, pinned.Unknown, false, io.ErrUnexpectedEOF},
		"an author's error":    {closeFrame(4423, "locked"), 423, pinned.Ran, false, sample.ErrLocked},
		"an unknown code":      {closeFrame(4409, "new"), 409, pinned.Ran, false, nil},
		"1007":                 {closeFrame(1007, "x"), 400, pinned.Ran, false, nil},
		"1008":                 {closeFrame(1008, "x"), 403, pinned.Ran, false, nil},
		"1009":                 {closeFrame(1009, "x"), 413, pinned.Ran, false, nil},
		"1011":                 {closeFrame(1011, "x"), 500, pinned.Unknown, false, nil},
		"1012":                 {closeFrame(1012, "x"), 503, pinned.Unknown, true, nil},
		"1013":                 {closeFrame(1013, "x"), 503, pinned.NotRun, true, nil},
		"4999":                 {closeFrame(4999, "x"), 500, pinned.Unknown, false, nil},
		"4000":                 {closeFrame(4000, "x"), 500, pinned.Unknown, false, nil},
		"a binary message":     {"\x82\x01x", 0, pinned.Unknown, false, nil},
		"a reserved bit":       {"\xf1\x01x", 0, pinned.Unknown, false, nil},
		"a masked frame":       {"\x81\x81\x00\x00\x00\x00x", 0, pinned.Unknown, false, nil},
		"a message too large":  {"\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff", 0, pinned.Unknown, false, nil},
		"half a message":       {"\x81\x05x", 0, pinned.Unknown, false, nil},
		"an unknown operation": {"\x83\x01x", 0, pinned.Unknown, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := sample.NewClient(upgradingServer(t, tc.end)).Room("lobby").Live(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = conn.Receive(t.Context())
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("it ended with %v", err)
			}
			if tc.status == -1 {
				return
			}
			if e := wantError(t, err, tc.status, tc.outcome); e.Retryable() != tc.retryable {
				t.Errorf("retryable: %v", e.Retryable())
			}
		})
	}
}

func closeFrame(code int, reason string) string {
	return string([]byte{0x88, byte(2 + len(reason)), byte(code >> 8), byte(code)}) + reason
}

// upgradingServer accepts handshakes and then sends the same bytes.
func upgradingServer(t *testing.T, then string) (base string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		conn, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		// The frame comes right behind the head, in one segment.
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+
			acceptKey(req.Header.Get("Sec-Websocket-Key"))+"\r\n\r\n"+then)
		if half, ok := conn.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAHandshakeIsCheckedAndItsRefusalReadWhole(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	_, err := sample.NewClient(rawServer(t, wholeAnswer(403, problemType, `{"title":"T","status":403,"detail":"`+long+`"}`))).Room("lobby").Live(t.Context())
	if e := wantError(t, err, 403, pinned.Ran); e.Detail != long {
		t.Errorf("the detail has %d bytes", len(e.Detail))
	}
	_, err = sample.NewClient(rawServer(t, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")).Room("lobby").Live(t.Context())
	wantError(t, err, 0, pinned.Unknown)

	// A server that says nothing holds up the handshake no longer than its context.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = sample.NewClient("http://" + silent.Addr().String()).Room("lobby").Live(ctx)
	wantError(t, err, 0, pinned.Unknown)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
