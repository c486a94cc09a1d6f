package runtime_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/sample"
	"github.com/pinned-go/pinned/runtime"
)

func TestABadBaseIsTheErrorOfEveryCall(t *testing.T) {
	for _, base := range []string{
		"", "127.0.0.1:8080", "/rooms", "ftp://w", "http://", "http://:80", "http://a b", "http://u:p@w", "http://w?x=1", "http://w?",
		"http://w#f", "://", "http://[::1", "HTTP//w",
	} {
		client := sample.NewClient(base)
		for range 2 {
			_, err := client.Room("lobby").Topic(t.Context())
			if e := wantError(t, err, 400, pinned.NotRun); e.Retryable() {
				t.Errorf("%q: %v", base, err)
			}
		}
		_, err := client.Room("lobby").Live(t.Context())
		wantError(t, err, 400, pinned.NotRun)
	}
	for key, value := range map[string]string{"": "x", "a b": "x", "X-A": "a\r\nX-B: b"} {
		_, err := sample.NewClient("http://127.0.0.1:1", pinned.WithHeader(key, value)).Room("lobby").Topic(t.Context())
		wantError(t, err, 400, pinned.NotRun)
	}
}

func TestZeroTargetsSayWhatIsMissing(t *testing.T) {
	for name, client := range map[string]sample.Client{
		"zero":             {},
		"a nil worker":     sample.InProcess(nil),
		"no host":          sample.From(&sample.Room{}),
		"fakes of another": {Target: runtime.Fake("elsewhere", struct{}{})},
		"a nil option":     sample.NewClient("", nil),
	} {
		_, err := client.Room("lobby").Topic(t.Context())
		if wantError(t, err, 400, pinned.NotRun); err.Error() == "" {
			t.Error(name)
		}
		_, err = client.Room("lobby").Live(t.Context())
		wantError(t, err, 400, pinned.NotRun)
	}
	_, err := runtime.Do[int](t.Context(), runtime.Ref{}.Call("GET", "/"))
	wantError(t, err, 400, pinned.NotRun)
}

// seen is what a server saw of a call.
type seen struct{ target, host, token, agent string }

func TestABaseAndOptionsReachCallsAndHandshakes(t *testing.T) {
	requests := make(chan seen, 10)
	upgrader := websocket.Upgrader{}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		requests <- seen{req.RequestURI, req.Host, req.Header.Get("Authorization"), req.Header.Get("User-Agent")}
		if websocket.IsWebSocketUpgrade(req) {
			if conn, err := upgrader.Upgrade(rw, req, nil); err == nil {
				_ = conn.Close()
			}
			return
		}
		rw.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)

	var (
		mu    sync.Mutex
		dials []string
	)
	client := func(base string) runtime.Ref {
		return runtime.NewRef(runtime.Dial(base,
			pinned.WithHeader("Authorization", "old"),
			pinned.WithHeader("authorization", "Bearer x"),
			pinned.WithDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
				mu.Lock()
				dials = append(dials, network+" "+addr)
				mu.Unlock()
				return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
			})), "/Räume", "lobby", nil)
	}
	for base, want := range map[string]struct{ target, host, addr string }{
		"http://objects.test":            {"/R%C3%A4ume/lobby/a%2Fb?q=1", "objects.test", "tcp objects.test:80"},
		"http://objects.test:8080/":      {"/R%C3%A4ume/lobby/a%2Fb?q=1", "objects.test:8080", "tcp objects.test:8080"},
		"http://objects.test/a/b%2Fc///": {"/a/b%2Fc/R%C3%A4ume/lobby/a%2Fb?q=1", "objects.test", "tcp objects.test:80"},
		"http://[::1]:9":                 {"/R%C3%A4ume/lobby/a%2Fb?q=1", "[::1]:9", "tcp [::1]:9"},
	} {
		dials = nil
		ref := client(base)
		q := ref.Call("GET", "/"+runtime.Escape("a/b"))
		q.Query("q", "1")
		if err := runtime.DoNone(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		q = ref.Call("WEBSOCKET", "/"+runtime.Escape("a/b"))
		q.Query("q", "1")
		conn, err := runtime.DialSocket[int, int](t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Receive(t.Context())
		for _, kind := range []string{"call", "handshake"} {
			if got := <-requests; got != (seen{want.target, want.host, "Bearer x", "pinned-go"}) {
				t.Errorf("%s: the %s came as %+v", base, kind, got)
			}
		}
		if len(dials) != 2 || dials[0] != want.addr || dials[1] != want.addr {
			t.Errorf("%s: it dialled %q", base, dials)
		}
	}

	ref := client("http://objects.test")
	q := ref.Call("GET", "/")
	q.Header("Authorization", "the route's")
	q.Header("User-Agent", "the route's")
	if err := runtime.DoNone(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if got := <-requests; got.token != "the route's" || got.agent != "the route's" {
		t.Errorf("the route's own headers came as %+v", got)
	}
}

func TestAStreamWithAReaderIsOneCallOnly(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		q := r.probe("a").Call("GET", "/three")
		q.Body(io.MultiReader())
		seq := runtime.Elements[int](t.Context(), q)
		count := func() (n int, err error) {
			for _, err = range seq {
				n++
			}
			return n, err
		}
		if n, err := count(); n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		_, err := count()
		wantError(t, err, 400, pinned.NotRun)
	})
}

// Fields are free while a call waits, and the turn is held in the body of a loop
// over a stream. The race detector watches Busy.
func TestCallsYieldTheTurn(t *testing.T) {
	eachTransport(t, func(t *testing.T, r *rig) {
		waits := make(chan error, 1)
		go func() { waits <- runtime.DoNone(t.Context(), r.probe("a").Call("POST", "/ask-wait/b")) }()
		for {
			busy, err := runtime.Do[int](t.Context(), r.probe("a").Call("GET", "/busy"))
			if err != nil {
				t.Fatal(err)
			}
			if busy == 1 {
				break
			}
		}
		close(r.gate)
		if err := <-waits; err != nil {
			t.Error(err)
		}

		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := runtime.DoNone(t.Context(), r.probe("a").Call("POST", "/loop/b")); err != nil {
					t.Error(err)
				}
				if err := runtime.DoNone(t.Context(), r.probe("a").Call("POST", "/loop/a")); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestAFullWorkerRefusesNewIDs(t *testing.T) {
	for name, overNetwork := range map[string]bool{"over the network": true, "in process": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, overNetwork, runtime.WithMaxInstances(1))
			must(runtime.Do[int](t.Context(), r.probe("a").Call("GET", "/busy")))(t)
			for what, call := range map[string]func(context.Context) error{
				"a call": func(ctx context.Context) error {
					_, err := runtime.Do[int](ctx, r.probe("b").Call("GET", "/busy"))
					return err
				},
				"a stream": func(ctx context.Context) error {
					return lastError(runtime.Elements[int](ctx, r.probe("b").Call("GET", "/three")))
				},
				"a raw call": func(ctx context.Context) error {
					_, err := runtime.DoRaw(ctx, r.probe("b").Call("GET", "/teapot"), nil)
					return err
				},
				"a socket": func(ctx context.Context) error {
					_, err := r.rooms.Room("b").Live(ctx)
					return err
				},
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				err := call(ctx)
				cancel()
				if e := wantError(t, err, 503, pinned.NotRun); !e.Retryable() || !e.Overloaded() || e.RetryAfter != time.Second {
					t.Errorf("%s: %+v", what, e)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: why it wasn't made again isn't visible: %v", what, err)
				}
			}
		})
	}
}
