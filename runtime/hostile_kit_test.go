package runtime_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// listening is a worker behind the guards of ListenAndServe, for bytes that no
// client would send.
type listening struct {
	*runtime.Worker

	addr string
	log  *lines
}

// listen serves rooms, and what else is registered.
func listen(t *testing.T, register func(*runtime.Worker), opts ...runtime.Option) *listening {
	t.Helper()
	s := &listening{log: &lines{}}
	opts = append([]runtime.Option{runtime.WithLogger(slog.New(slog.NewJSONHandler(s.log, nil)))}, opts...)
	w, err := runtime.NewWorker(opts...)
	if err != nil {
		t.Fatal(err)
	}
	sample.Register(w)
	if register != nil {
		register(w)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Worker, s.addr = w, ln.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- w.ListenOn(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := await(t, "the end of the worker", over); err != nil {
			t.Error(err)
		}
	})
	return s
}

// hostile is a connection to a worker.
type hostile struct {
	net.Conn

	t *testing.T
	r *bufio.Reader
}

func (s *listening) connect(t *testing.T) *hostile {
	t.Helper()
	conn, err := net.DialTimeout("tcp", s.addr, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return &hostile{conn, t, bufio.NewReader(conn)}
}

// send writes bytes as they are. The server may close before it has had all.
func (h *hostile) send(b string) { _, _ = io.WriteString(h.Conn, b) }

// reply reads one answer to a request of that method.
func (h *hostile) reply(method string) (answer, error) {
	h.t.Helper()
	resp, err := http.ReadResponse(h.r, &http.Request{Method: method})
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(body)}, err
}

// closed reports whether the server has closed the connection, without another
// answer.
func (h *hostile) closed() bool {
	h.t.Helper()
	rest, err := io.ReadAll(h.r)
	if len(rest) > 0 {
		h.t.Errorf("another answer: %.200q", rest)
		return false
	}
	return err == nil || strings.Contains(err.Error(), "reset")
}

// exchange sends bytes on a connection of their own and returns the first answer.
func (s *listening) exchange(t *testing.T, method, bytes string) (answer, *hostile) {
	t.Helper()
	h := s.connect(t)
	h.send(bytes)
	got, err := h.reply(method)
	if err != nil {
		t.Fatalf("after %.300q: %v", bytes, err)
	}
	return got, h
}

// get asks for a path, as it is.
func (s *listening) get(t *testing.T, path string, headers ...string) answer {
	t.Helper()
	got, _ := s.exchange(t, "GET", "GET "+path+" HTTP/1.1\r\nHost: x\r\n"+strings.Join(headers, "")+"\r\n")
	return got
}

// resident are the ids that are live.
func (s *listening) resident() []string {
	ids := []string{}
	for _, in := range s.Stats().Instances {
		ids = append(ids, in.ID)
	}
	return ids
}

// alive fails unless the worker still serves.
func (s *listening) alive(t *testing.T) {
	t.Helper()
	if got := s.get(t, "/chats/alive/topic"); got.Status != 200 {
		t.Fatalf("the worker doesn't serve any more: %+v", got)
	}
}
