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
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
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

func TestARequestIsDeliveredAtMostOnce(t *testing.T) {
	for name, call := range map[string]func(context.Context, runtime.Ref) error{
		"GET": func(ctx context.Context, ref runtime.Ref) error {
			return runtime.DoNone(ctx, ref.Call("GET", "/"))
		},
		"HEAD": func(ctx context.Context, ref runtime.Ref) error {
			return runtime.DoNone(ctx, ref.Call("HEAD", "/"))
		},
		"POST with a key": func(ctx context.Context, ref runtime.Ref) error {
			q := ref.Call("POST", "/")
			q.Header("Idempotency-Key", "k")
			return runtime.DoNone(ctx, q)
		},
		"PUT of JSON with a key": func(ctx context.Context, ref runtime.Ref) error {
			q := ref.Call("PUT", "/")
			q.Header("X-Idempotency-Key", "k")
			q.JSON(1)
			return runtime.DoNone(ctx, q)
		},
		"DELETE": func(ctx context.Context, ref runtime.Ref) error {
			return runtime.DoNone(ctx, ref.Call("DELETE", "/"))
		},
		"a stream": func(ctx context.Context, ref runtime.Ref) error {
			return lastError(runtime.Elements[int](ctx, ref.Call("GET", "/")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var delivered atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
				_, _ = io.Copy(io.Discard, req.Body)
				if req.Header.Get("X-Warm") != "" {
					rw.WriteHeader(http.StatusNoContent)
					return
				}
				delivered.Add(1)
				panic(http.ErrAbortHandler) // the connection closes without an answer
			}))
			defer server.Close()
			ref := runtime.NewRef(runtime.Dial(server.URL), "/x", "a", nil)
			// net/http replays on a connection that was used before.
			warm := ref.Call("GET", "/")
			warm.Header("X-Warm", "yes")
			if err := runtime.DoNone(t.Context(), warm); err != nil {
				t.Fatal(err)
			}
			wantError(t, call(t.Context(), ref), 0, pinned.Unknown)
			if n := delivered.Load(); n != 1 {
				t.Errorf("delivered %d times", n)
			}
		})
	}
}

// memoryNetwork is a net.Listener whose connections are made in memory.
type memoryNetwork struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (n *memoryNetwork) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *memoryNetwork) Close() error {
	close(n.closed)
	return nil
}

func (n *memoryNetwork) Addr() net.Addr { return &net.TCPAddr{} }

func (n *memoryNetwork) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inVirtualTime serves h in a bubble, where the time is virtual.
func inVirtualTime(t *testing.T, h http.HandlerFunc, f func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &memoryNetwork{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour}
		served := make(chan error, 1)
		go func() { served <- server.Serve(n) }()
		f(t, n.dial)
		_ = server.Close()
		<-served
		synctest.Wait()
	})
}

func refuseWith(rw http.ResponseWriter, reason, after string) {
	rw.Header().Set("Content-Type", problemType)
	rw.Header().Set("Retry-After", after)
	if reason != "" {
		rw.Header().Set("pinned-refusal", reason)
	}
	rw.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(rw, `{"title":"Service Unavailable","status":503,"detail":"later"}`)
}

func TestRefusalsAreWaitedFor(t *testing.T) {
	for name, method := range map[string]string{"GET": "GET", "POST": "POST"} {
		t.Run(name, func(t *testing.T) {
			var requests int
			inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
				if requests++; requests <= 3 {
					refuseWith(rw, "draining", "2")
					return
				}
				rw.WriteHeader(http.StatusNoContent)
			}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
				began := time.Now()
				q := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil).Call(method, "/")
				q.JSON(1)
				if err := runtime.DoNone(t.Context(), q); err != nil {
					t.Error(err)
				}
				if d := time.Since(began); d < 6*time.Second || d > 8*time.Second || requests != 4 {
					t.Errorf("%d requests in %v", requests, d)
				}
			})
		})
	}
}

func TestRefusalsAreWaitedForNoLongerThan30Seconds(t *testing.T) {
	var requests int
	inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
		requests++
		refuseWith(rw, "capacity", "1")
	}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
		ref := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil)
		began := time.Now()
		e := wantError(t, runtime.DoNone(t.Context(), ref.Call("POST", "/")), 503, pinned.NotRun)
		if d := time.Since(began); d < 25*time.Second || d > 30*time.Second || requests < 20 || requests > 31 {
			t.Errorf("%d requests in %v", requests, d)
		}
		if !e.Retryable() || !e.Overloaded() || e.RetryAfter != time.Second || e.Detail != "later" {
			t.Errorf("%+v", e)
		}

		// Nor is one that asks for more made again at all.
		requests = 0
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		began = time.Now()
		err := runtime.DoNone(ctx, ref.Call("POST", "/"))
		if e := wantError(t, err, 503, pinned.NotRun); !errors.Is(err, context.DeadlineExceeded) || !e.Retryable() {
			t.Errorf("%+v", e)
		}
		if d := time.Since(began); d != 2500*time.Millisecond || requests < 2 || requests > 3 {
			t.Errorf("%d requests in %v", requests, d)
		}
	})
}

func TestWhatMayHaveRunIsNotMadeAgain(t *testing.T) {
	var requests int
	inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
		requests++
		refuseWith(rw, "", "1")
	}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
		ref := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil)
		e := wantError(t, runtime.DoNone(t.Context(), ref.Call("GET", "/")), 503, pinned.Unknown)
		if e.Retryable() || e.RetryAfter != time.Second || requests != 1 {
			t.Errorf("%d requests: %+v", requests, e)
		}
	})
}

func TestARefusedConnectionIsTriedAgain(t *testing.T) {
	for name, call := range map[string]func(context.Context, runtime.Ref) error{
		"a call": func(ctx context.Context, ref runtime.Ref) error {
			q := ref.Call("POST", "/")
			q.Body(io.MultiReader(strings.NewReader("once")))
			return runtime.DoNone(ctx, q)
		},
		"a socket": func(ctx context.Context, ref runtime.Ref) error {
			_, err := runtime.DialSocket[int, int](ctx, ref.Call("WEBSOCKET", "/"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var requests, dials int
			inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
				requests++
				if body, _ := io.ReadAll(req.Body); req.Method == "POST" && string(body) != "once" {
					t.Errorf("the body is %q", body)
				}
				rw.WriteHeader(http.StatusTeapot)
			}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
				ref := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
					if dials++; dials <= 5 {
						return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
					}
					return dial(ctx, network, addr)
				})), "/x", "a", nil)
				err := call(t.Context(), ref)
				wantError(t, err, http.StatusTeapot, pinned.Unknown)
				if requests != 1 || dials != 6 {
					t.Errorf("%d requests, %d dials", requests, dials)
				}

				dials = -1 << 30 // nobody ever comes
				began := time.Now()
				err = call(t.Context(), runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(func(context.Context, string, string) (net.Conn, error) {
					return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
				})), "/x", "a", nil))
				if e := wantError(t, err, 0, pinned.NotRun); !e.Retryable() || !errors.Is(err, syscall.ECONNREFUSED) {
					t.Error(err)
				}
				if d := time.Since(began); d < 25*time.Second || d > 30*time.Second {
					t.Errorf("it took %v", d)
				}
			})
		})
	}
}

func TestOtherDialErrorsAreNotTriedAgain(t *testing.T) {
	failed, dials := errors.New("no such host"), 0
	client := sample.NewClient("http://w", pinned.WithDial(func(context.Context, string, string) (net.Conn, error) {
		dials++
		return nil, failed
	}))
	_, err := client.Room("lobby").Topic(t.Context())
	if wantError(t, err, 0, pinned.NotRun); !errors.Is(err, failed) || dials != 1 {
		t.Errorf("%d dials, %v", dials, err)
	}
	_, err = client.Room("lobby").Live(t.Context())
	if wantError(t, err, 0, pinned.NotRun); !errors.Is(err, failed) || dials != 2 {
		t.Errorf("%d dials, %v", dials, err)
	}
}

func TestABodyIsSentAgainOnlyWhole(t *testing.T) {
	for name, tc := range map[string]struct {
		body     io.Reader
		read     bool // the server reads it before it refuses
		requests int
	}{
		"a stream that was read":           {io.MultiReader(strings.NewReader(strings.Repeat("x", 100))), true, 1},
		"a stream that was not":            {io.MultiReader(strings.NewReader(strings.Repeat("x", 100))), false, 2},
		"what goes back, read":             {strings.NewReader(strings.Repeat("x", 100)), true, 2},
		"what goes back to where it began": {halfRead(strings.Repeat("y", 50) + strings.Repeat("x", 100)), true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			inVirtualTime(t, func(rw http.ResponseWriter, req *http.Request) {
				requests++
				if requests == 1 && !tc.read {
					refuseWith(rw, "draining", "1")
					return
				}
				if body, err := io.ReadAll(req.Body); err != nil || string(body) != strings.Repeat("x", 100) {
					t.Errorf("request %d has the body %q, %v", requests, body, err)
				}
				if requests == 1 {
					refuseWith(rw, "draining", "1")
					return
				}
				rw.WriteHeader(http.StatusNoContent)
			}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
				q := runtime.NewRef(runtime.Dial("http://w", pinned.WithDial(dial)), "/x", "a", nil).Call("PUT", "/")
				q.Body(tc.body)
				err := runtime.DoNone(t.Context(), q)
				if requests != tc.requests || (err == nil) != (tc.requests == 2) {
					t.Errorf("%d requests, %v", requests, err)
				}
				if err != nil {
					wantError(t, err, 503, pinned.NotRun)
				}
			})
		})
	}
}

func halfRead(s string) io.Reader {
	r := strings.NewReader(s)
	_, _ = io.CopyN(io.Discard, r, 50)
	return r
}

func TestABodyThatFailsIsTheCallsError(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		broken := errors.New("the disk is gone")
		_, err := r.rooms.Room("lobby").Import(t.Context(), "x", io.MultiReader(strings.NewReader("some"), failingReader{broken}))
		if e, ok := errors.AsType[*pinned.Error](err); !ok || !errors.Is(err, broken) {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
