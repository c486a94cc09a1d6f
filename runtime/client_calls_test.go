package runtime_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

// Calls from instance to instance, which go through memory on either transport.

func TestACallFromAnInstanceSaysWhoCalls(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		got := must(runtime.Do[probeEcho](t.Context(), r.probe("a").Call("GET", "/ask/b")))(t)
		if got.Caller != "/probes/a" || got.Path != "/probes/b/echo/x" {
			t.Errorf("b saw %+v", got)
		}
	})
}

func TestACallOnesOwnIDWaitsOutsideTheTurn(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		got := must(runtime.Do[probeEcho](t.Context(), r.probe("a").Call("GET", "/ask/a")))(t)
		if got.Caller != "/probes/a" {
			t.Errorf("a saw %+v", got)
		}
		if n, err := runtime.Do[int](t.Context(), r.probe("a").Call("GET", "/ask-slowly/a")); err != nil || n != 3 {
			t.Errorf("a stream of its own: %d elements, %v", n, err)
		}
		if _, err := r.rooms.Room("a").Relay(t.Context(), "a"); err != nil {
			t.Errorf("a generated client: %v", err)
		}
	})
}

func TestCallsFromInstanceToInstanceEndAtDepth50(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		// a calls b calls a …, so each of the two is in the middle of 25 calls.
		if depth, err := runtime.Do[int](t.Context(), r.probe("a").Call("GET", "/deep")); err != nil || depth != 50 {
			t.Errorf("the deepest call is at %d, %v", depth, err)
		}
	})
}

func TestARawBodyAndAReaderPassThroughAnInstance(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		big := strings.Repeat("x", 1<<20)
		send := func(path string) (int, error) {
			q := r.probe("a").Call("PUT", path)
			q.Body(io.MultiReader(strings.NewReader(big[:100]), strings.NewReader(big[100:1000])))
			return runtime.Do[int](t.Context(), q)
		}
		if n, err := send("/relay/b"); err != nil || n != 1000 {
			t.Errorf("a body that is passed on: %d, %v", n, err)
		}
		if n, err := send("/wrapped/b"); err != nil || n != 5 {
			t.Errorf("a part of a body that is passed on: %d, %v", n, err)
		}
		must(r.rooms.Room("c").SetTopic(t.Context(), sample.SetTopic{Text: big[:500_000]}))(t)
		body := must(runtime.Do[io.ReadCloser](t.Context(), r.probe("a").Call("GET", "/pass/c")))(t)
		n, err := io.Copy(io.Discard, body)
		if err != nil || n != 500_000 {
			t.Errorf("a result that is passed on: %d, %v", n, err)
		}
		_ = body.Close()
	})
}

func TestRawRoutesAndRedirectsComeAsTheyAre(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		req := &http.Request{URL: &url.URL{RawQuery: "a=1;b"}, Header: http.Header{"X-Sent": {"yes"}}}
		resp := must(runtime.DoRaw(t.Context(), r.probe("a").Call("GET", "/teapot"), req))(t)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusTeapot || string(body) != "<p>a=1;b" || resp.Header.Get("X-Got") != "yes" {
			t.Errorf("%d %q %v, %v", resp.StatusCode, body, resp.Header, err)
		}
		if got := resp.Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("the content type that nobody set is %q", got)
		}

		// A request that is passed on keeps what is its own, and not its connection's.
		req = httptest.NewRequest("PUT", "/elsewhere?x=1", strings.NewReader("twelve bytes"))
		req.Header = http.Header{"Connection": {"close"}, "Upgrade": {"x"}, "Content-Type": {"text/plain"}, "Expect": {"x"}}
		resp = must(runtime.DoRaw(t.Context(), r.probe("a").Call("PUT", "/mirror"), req))(t)
		body, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || string(body) != `12 "twelve bytes" "text/plain" "" ""` {
			t.Errorf("it came as %s, %v", body, err)
		}

		moved, err := runtime.DoResponse[string](t.Context(), r.probe("a").Call("GET", "/moved"))
		if err != nil || moved.Status != 303 || moved.Header.Get("Location") != "/elsewhere" || moved.Body != "go" {
			t.Errorf("%+v, %v", moved, err)
		}
		_, err = runtime.Do[string](t.Context(), r.probe("a").Call("GET", "/moved"))
		wantError(t, err, 303, pinned.Unknown)
	})
}

func TestNothingIsSharedWithTheHandler(t *testing.T) {
	r := newRig(t, false)
	room := r.rooms.Room("lobby")
	first := must(room.Post(t.Context(), sample.In{Say: "a"}))(t)
	first.Header["X-Room"][0] = "changed"
	first.Header["Content-Type"][0] = "changed"
	blob := must(room.Blob(t.Context()))(t)
	_ = append(blob[:0], "overwritten"...)
	second := must(room.Post(t.Context(), sample.In{Say: "b"}))(t)
	if got := second.Header.Get("X-Room") + second.Header.Get("Content-Type"); strings.Contains(got, "changed") {
		t.Errorf("the header of the next answer is %v", second.Header)
	}

	// The callee sees none of the caller's context values, its turn least of all.
	ctx := context.WithValue(t.Context(), secretKey{}, "secret")
	if got := must(runtime.Do[string](ctx, r.probe("a").Call("GET", "/secret")))(t); got != "<nil>" {
		t.Errorf("the handler found a %s in its context", got)
	}
	body := must(runtime.DoRaw(ctx, r.probe("a").Call("GET", "/secret"), nil))(t)
	if got, err := io.ReadAll(body.Body); err != nil || string(got) != "<nil>" {
		t.Errorf("the handler of a raw call found a %s in its context, %v", got, err)
	}
	_ = body.Body.Close()
}

func TestManyCallsAtOnce(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				id := string(rune('a' + i%3))
				for range 5 {
					if _, err := r.rooms.Room(id).Post(t.Context(), sample.In{Say: "x"}); err != nil {
						t.Error(err)
					}
					for _, err := range r.rooms.Room(id).Messages(t.Context(), sample.Page{Limit: 3}) {
						if err != nil {
							t.Error(err)
						}
					}
					conn, err := r.rooms.Room(id).Live(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					if err := conn.Send(t.Context(), sample.In{Say: "hi"}); err != nil {
						t.Error(err)
					}
					if out, err := conn.Receive(t.Context()); err != nil || out.Heard != "hi" {
						t.Errorf("%+v, %v", out, err)
					}
					if err := conn.Close(1000, ""); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// Sockets.

func TestSocketsCarryMessagesBothWays(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		conn := must(r.rooms.Room("lobby").Live(t.Context()))(t)
		for _, say := range []string{"a", "ä", strings.Repeat("x", 100_000)} {
			if err := conn.Send(t.Context(), sample.In{Say: say}); err != nil {
				t.Fatal(err)
			}
			if out, err := conn.Receive(t.Context()); err != nil || out != (sample.Out{Heard: say, Online: 1}) {
				t.Fatalf("%.20q, %v", out.Heard, err)
			}
		}

		// A context that ends while it waits takes nothing with it.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := conn.Receive(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v", err)
		}
		if err := conn.Close(1000, "bye"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Receive(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("after a normal close: %v", err)
		}
		if err := conn.Send(t.Context(), sample.In{}); err == nil {
			t.Error("a message was sent after the close")
		}
		if err := conn.Close(1000, ""); err != nil {
			t.Errorf("closed twice: %v", err)
		}
		if err := conn.Close(1005, ""); err == nil {
			t.Error("closed with a code that no frame may have")
		}
	})
}

func TestASocketEndsWithTheHandlersError(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		conn := must(r.rooms.Room("lobby").Live(t.Context()))(t)
		if err := conn.Send(t.Context(), sample.In{Say: "locked"}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the end stays the end
			_, err := conn.Receive(t.Context())
			e := wantError(t, err, 423, pinned.Ran)
			if !errors.Is(err, sample.ErrLocked) || e.Code != "locked" || e.Detail != "the room is locked" {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestAHandshakeThatIsRefusedIsAnError(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		_, err := r.rooms.Room("unopenable").Live(t.Context())
		wantError(t, err, 500, pinned.Ran)
		_, err = runtime.DialSocket[int, int](t.Context(), r.probe("a").Call("WEBSOCKET", "/nowhere"))
		wantError(t, err, 404, pinned.Ran)
		_, err = runtime.DialSocket[int, int](t.Context(), r.probe("a").Call("WEBSOCKET", "/count"))
		wantError(t, err, 200, pinned.Unknown)
	})
}

func TestASocketThatTheDrainClosedCanBeOpenedAgain(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		conn := must(r.rooms.Room("lobby").Live(t.Context()))(t)
		if err := conn.Send(t.Context(), sample.In{Say: "here"}); err != nil {
			t.Fatal(err)
		}
		must(conn.Receive(t.Context()))(t)
		ended := make(chan error, 1)
		go func() { ended <- r.worker.Shutdown(context.WithoutCancel(t.Context())) }()
		_, err := conn.Receive(t.Context())
		if e := wantError(t, err, 503, pinned.Unknown); !e.Retryable() {
			t.Errorf("it can't be opened again: %+v", e)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
