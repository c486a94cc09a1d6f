package runtime

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned/internal/bind"
)

func TestCallsAndSocketsSpeakTLS(t *testing.T) {
	protocols := make(chan string, 2)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		protocols <- req.Proto
		if websocket.IsWebSocketUpgrade(req) {
			if conn, err := new(websocket.Upgrader).Upgrade(rw, req, nil); err == nil {
				_ = conn.Close()
			}
			return
		}
		rw.WriteHeader(http.StatusNoContent)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.StartTLS()
	t.Cleanup(server.Close)

	client := func(config *tls.Config) Ref {
		endpoint, err := newRemote(server.URL, bind.ClientConfig{Dial: defaultDial})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(endpoint.transport.CloseIdleConnections)
		endpoint.transport.TLSClientConfig = config
		return NewRef(newTarget(endpoint), "/x", "a", nil)
	}
	ref := client(nil)

	// Who isn't known isn't trusted.
	if err := DoNone(t.Context(), ref.Call("GET", "/")); !isUnknownAuthority(err) {
		t.Errorf("a call to a stranger: %v", err)
	}
	if _, err := DialSocket[int, int](t.Context(), ref.Call(methodWebSocket, "/")); !isUnknownAuthority(err) {
		t.Errorf("a socket to a stranger: %v", err)
	}

	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	ref = client(&tls.Config{RootCAs: roots})
	if err := DoNone(t.Context(), ref.Call("GET", "/")); err != nil {
		t.Fatal(err)
	}
	if got := <-protocols; got != "HTTP/2.0" {
		t.Errorf("a call spoke %s", got)
	}
	conn, err := DialSocket[int, int](t.Context(), ref.Call(methodWebSocket, "/"))
	if err != nil {
		t.Fatal(err)
	}
	if got := <-protocols; got != "HTTP/1.1" {
		t.Errorf("a handshake spoke %s", got)
	}
	_, _ = conn.Receive(t.Context())
}

func isUnknownAuthority(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

func TestEscapedPathsGoOutByteForByte(t *testing.T) {
	for escaped, segment := range map[string]string{
		"a%2Fb": "a/b", "%25": "%", "a%20b": "a b", "%C3%A4": "ä", "a+b": "a+b", "%3F%23": "?#", "~": "~", "a;b,c": "", "%2e": "",
		"%FF": "\xff",
	} {
		if segment != "" && segment != "a;b,c" {
			if got := Escape(segment); got != escaped {
				t.Errorf("Escape(%q) is %q, want %q", segment, got, escaped)
			}
		}
		q := &Request{ref: &ref{path: "/x/a"}, path: "/" + escaped}
		u, err := q.url("http", "h", "/p%2Fq")
		if err != nil || u.EscapedPath() != "/p%2Fq/x/a/"+escaped {
			t.Errorf("%q goes out as %q, %v", escaped, u.EscapedPath(), err)
		}
	}
	if got := EscapeRest("a b/c%/"); got != "a%20b/c%25/" {
		t.Error(got)
	}
	if got := escapeNamespace("/a b"); got != "/a%20b" {
		t.Error(got)
	}
	if FormatFloat(float32(0.1)) != "0.1" || FormatFloat(0.1) != "0.1" || FormatUint(uint8(255)) != "255" || FormatBool(true) != "true" {
		t.Error("a number isn't written in its shortest form")
	}
}

func TestRetryAfterIsReadLeniently(t *testing.T) {
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for value, want := range map[string][2]time.Duration{
		"":                     {0, 0},
		"0":                    {0, 0},
		"7":                    {7 * time.Second, 7 * time.Second},
		"-1":                   {0, 0},
		"1.5":                  {0, 0},
		"soon":                 {0, 0},
		"99999999999999999999": {0, 0},
		in(time.Minute):        {30 * time.Second, time.Minute},
		in(-time.Minute):       {0, 0},
	} {
		got := readRetryAfter(http.Header{"Retry-After": {value}})
		if got < want[0] || got > want[1] {
			t.Errorf("%q is %v, want %v", value, got, want)
		}
	}
}

func TestAConnectionInMemoryIsAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memoryConn()
		// Both may write first.
		for _, end := range []net.Conn{a, b} {
			if _, err := end.Write([]byte("hello")); err != nil {
				t.Fatal(err)
			}
		}
		for _, end := range []net.Conn{a, b} {
			p := make([]byte, 5)
			if _, err := io.ReadFull(end, p); err != nil || string(p) != "hello" {
				t.Fatalf("%q, %v", p, err)
			}
		}

		// A writer waits when enough is in flight, and goes on when it is read.
		big := strings.Repeat("x", 3*maxInFlight)
		wrote := make(chan error, 1)
		go func() {
			_, err := io.WriteString(a, big)
			wrote <- err
		}()
		synctest.Wait()
		select {
		case err := <-wrote:
			t.Fatalf("nobody read, and the write returned %v", err)
		default:
		}
		if n, err := io.CopyN(io.Discard, b, int64(len(big))); err != nil || <-wrote != nil {
			t.Fatal(n, err)
		}

		// Deadlines pass, and can be moved.
		_ = b.SetReadDeadline(time.Now().Add(time.Second))
		_ = b.SetReadDeadline(time.Now().Add(time.Minute))
		began := time.Now()
		if _, err := b.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		_ = b.SetReadDeadline(time.Time{})
		_ = a.SetWriteDeadline(time.Now().Add(-time.Second))
		if _, err := a.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		_ = a.SetDeadline(time.Time{})

		// What was written before the close is read before its end.
		if _, err := a.Write([]byte("bye")); err != nil {
			t.Fatal(err)
		}
		_ = a.(interface{ CloseWrite() error }).CloseWrite()
		if all, err := io.ReadAll(b); err != nil || string(all) != "bye" {
			t.Errorf("%q, %v", all, err)
		}
		if _, err := b.Write([]byte("x")); err != nil {
			t.Errorf("the other half is closed too: %v", err)
		}
		_ = a.Close()
		if _, err := b.Write([]byte("x")); err == nil {
			t.Error("a write to nobody succeeded")
		}
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		_ = b.Close()
	})
}

func TestLastWordsWaitForAReaderThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newPull(ctx, cancel, http.MethodGet)
		wrote := make(chan error)
		go func() {
			_, err := p.Write([]byte("one\n"))
			wrote <- err
			_, err = p.Write([]byte("last\n"))
			wrote <- err
			_, err = p.Write([]byte("too much\n"))
			wrote <- err
			p.end(false)
			close(wrote)
		}()
		rep, err := p.reply()
		if err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 100)
		n, err := rep.body.Read(line)
		if err != nil || string(line[:n]) != "one\n" {
			t.Fatalf("%q, %v", line[:n], err)
		}
		// The instance ends while the reader is busy elsewhere.
		_ = p.SetWriteDeadline(time.Now().Add(time.Second))
		for i, want := range []error{nil, nil, os.ErrDeadlineExceeded} {
			if err := <-wrote; !errors.Is(err, want) {
				t.Errorf("write %d: %v", i, err)
			}
		}
		<-wrote
		rest, err := io.ReadAll(rep.body)
		if string(rest) != "last\n" || !errors.Is(err, errBrokeOff) {
			t.Errorf("%q, %v", rest, err)
		}
		_ = rep.body.Close()
	})
}
