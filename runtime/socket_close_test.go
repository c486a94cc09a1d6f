package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
)

func TestCloseCodes(t *testing.T) {
	secret := errors.New("secret")
	s := serveThings(t, thingErrors,
		socketRoute("/echo", echo),
		socketRoute("/code", func(ctx context.Context, r *thing, conn *pinned.Conn[string, string]) error {
			what, err := conn.Receive(ctx)
			switch what {
			case "nil":
				return nil
			case "declared":
				return fmt.Errorf("wrapped: %w", errFull)
			case "other":
				return secret
			case "own":
				return &pinned.Error{Status: 409, Detail: "mine"}
			case "panic":
				panic("oh no")
			case "abort":
				r.Abort(secret)
				return nil
			case "close":
				if err := conn.Close(4242, "as I like"); err != nil {
					return err
				}
				if err := conn.Send(ctx, "too late"); err == nil {
					t.Error("a message was sent after Close")
				}
				return secret
			case "badcode":
				if err := conn.Close(1005, ""); err == nil {
					t.Error("1005 was sent")
				}
				return nil
			}
			return err
		}),
	)
	for _, tt := range []struct {
		name, path, message string
		kind, code          int
		reason              string
	}{
		{"nil", "/code", `"nil"`, 1, 1000, ""},
		{"declared error", "/code", `"declared"`, 1, 4507, "full"},
		{"other error", "/code", `"other"`, 1, 1011, "the object failed"},
		{"pinned.Error", "/code", `"own"`, 1, 1011, "the object failed"},
		{"panic", "/code", `"panic"`, 1, 1011, "the object failed"},
		{"abort", "/code", `"abort"`, 1, 1011, "instance aborted"},
		{"the author's own", "/code", `"close"`, 1, 4242, "as I like"},
		{"a code that can't be sent", "/code", `"badcode"`, 1, 1000, ""},
		{"no JSON", "/echo", `nonsense`, 1, 1007, "the message doesn't decode"},
		{"another type", "/echo", `{"a":1}`, 1, 1007, "the message doesn't decode"},
		{"trailing data", "/echo", `"a" "b"`, 1, 1007, "the message doesn't decode"},
		{"empty", "/echo", ``, 1, 1007, "the message doesn't decode"},
		{"invalid UTF-8", "/echo", "\"\xff\"", 1, 1007, "a message is not UTF-8"},
		{"deep", "/echo", strings.Repeat("[", 1000), 1, 1007, "the message doesn't decode"},
		{"binary", "/echo", `"a"`, 2, 1003, "messages are text"},
		{"over the limit", "/echo", `"` + strings.Repeat("x", 1<<10) + `"`, 1, 1009, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := s.mustDial(t, "/things/a"+tt.path)
			if err := conn.WriteMessage(tt.kind, []byte(tt.message)); err != nil {
				t.Fatal(err)
			}
			if code, reason := closing(t, conn); code != tt.code || reason != tt.reason {
				t.Errorf("closed with %d %q, want %d %q", code, reason, tt.code, tt.reason)
			}
		})
	}
	if !s.logged("secret") || !s.logged("oh no") {
		t.Error("what the client isn't told isn't logged either")
	}
}

func TestShutdownAndAbortCloseSockets(t *testing.T) {
	routes := []thingRoute{
		socketRoute("/echo", echo),
		socketRoute("/deaf", func(ctx context.Context, _ *thing, _ *pinned.Conn[string, string]) error {
			return pinned.Await(ctx, func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
		}),
		abortRoute,
	}
	for _, path := range []string{"/echo", "/deaf"} {
		t.Run("abort "+path, func(t *testing.T) {
			s := serveThings(t, nil, routes...)
			conn := s.mustDial(t, "/things/a"+path)
			s.do(t, "POST", "/things/a/abort", "")
			if code, reason := closing(t, conn); code != 1011 || reason != "instance aborted" {
				t.Errorf("closed with %d %q", code, reason)
			}
		})
		t.Run("shutdown "+path, func(t *testing.T) {
			s := serveThings(t, nil, routes...)
			conn := s.mustDial(t, "/things/a"+path)
			if err := s.worker.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if code, reason := closing(t, conn); code != 1012 || reason != "the worker is shutting down" {
				t.Errorf("closed with %d %q", code, reason)
			}
		})
	}
}

func TestHandlerLearnsOfTheEnd(t *testing.T) {
	type end struct {
		err error
		all bool
	}
	ends := make(chan end, 1)
	s := serveThings(t, nil, socketRoute("/s", func(ctx context.Context, _ *thing, conn *pinned.Conn[string, string]) error {
		for _, err := range conn.All(ctx) {
			ends <- end{err: err}
			_, again := conn.Receive(ctx)
			for range 2000 { // as a loop that overlooks the error would
				_, again = conn.Receive(ctx)
			}
			if again == nil {
				t.Error("a connection that has ended gave a message")
			}
			return err
		}
		ends <- end{all: true}
		return nil
	}))
	for _, tt := range []struct {
		name string
		end  func(*websocket.Conn) error
		eof  bool
	}{
		{"1000", goodbye(1000), true},
		{"1001", goodbye(1001), true},
		{"without a code", goodbye(1005), true},
		{"another code", goodbye(3000), false},
		{"no goodbye", func(conn *websocket.Conn) error { return conn.NetConn().Close() }, false},
		{"half a frame", func(conn *websocket.Conn) error {
			_, err := conn.NetConn().Write([]byte{0x81})
			return errors.Join(err, conn.NetConn().Close())
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := s.mustDial(t, "/things/a/s")
			if err := tt.end(conn); err != nil {
				t.Fatal(err)
			}
			if e := await(t, "the end", ends); e.all != tt.eof || !e.all && e.err == nil {
				t.Errorf("the loop ended with %+v", e)
			}
		})
	}
	if err := s.worker.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if s.logged("panic") {
		t.Error("a handler that reads on after the end panicked")
	}
}

func goodbye(code int) func(*websocket.Conn) error {
	return func(conn *websocket.Conn) error {
		return conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""))
	}
}
