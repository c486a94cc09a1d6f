package runtime

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pinned-go/pinned"
)

// listening serves boxes with one route, and returns its address.
func listening(ctx context.Context, t *testing.T, w *Worker, handler func(ctx context.Context, p *plain)) (base string, ended <-chan error) {
	t.Helper()
	Register(w, Class[plain]{
		Name: "Plain", Namespace: "/plains",
		Base:  func(p *plain) *pinned.Object { return &p.Object },
		Match: func(string, string, *Args) int { return 0 },
		Routes: []Route[plain]{{Method: "GET", Pattern: "/", Func: "Get", Serve: func(c *Call) {
			ctx, p, ok := Enter[plain](c)
			if !ok {
				return
			}
			handler(ctx, p)
			c.AnswerNone(nil)
		}}},
	})
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- w.listen(ctx, ln) }()
	return "http://" + ln.Addr().String(), result
}

// get is a request on a connection of its own.
func get(t *testing.T, url string) int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func TestListenAndServeDrains(t *testing.T) {
	for name, end := range map[string]func(cancel context.CancelFunc) error{
		"at the end of its context": func(cancel context.CancelFunc) error { cancel(); return nil },
		"at SIGTERM":                func(context.CancelFunc) error { return syscall.Kill(os.Getpid(), syscall.SIGTERM) },
		"at SIGINT":                 func(context.CancelFunc) error { return syscall.Kill(os.Getpid(), syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := newTestWorker(t)
			inside, release := make(chan struct{}), make(chan struct{})
			base, ended := listening(ctx, t, w, func(_ context.Context, p *plain) {
				if p.ID() == "slow" {
					close(inside)
					<-release
				}
			})
			if status := get(t, base+"/plains/one"); status != http.StatusNoContent {
				t.Errorf("status %d", status)
			}
			slow := make(chan int, 1)
			go func() { slow <- get(t, base+"/plains/slow") }()
			receive(t, "the slow request", inside)
			if err := end(cancel); err != nil {
				t.Fatal(err)
			}
			receive(t, "the drain", w.drain.Done())
			select {
			case err := <-ended:
				t.Errorf("it ended with %v before its request", err)
			default:
			}
			close(release)
			if status := receive(t, "the slow answer", slow); status != http.StatusNoContent {
				t.Errorf("the slow request got %d", status)
			}
			if err := receive(t, "the end", ended); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestListenAndServeSaysWhatDidNotEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newTestWorker(t, WithDrainTimeout(50*time.Millisecond))
	inside, release := make(chan struct{}), make(chan struct{})
	base, ended := listening(ctx, t, w, func(context.Context, *plain) { close(inside); <-release })
	go func() {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if resp, err := client.Get(base + "/plains/one"); err == nil {
			_ = resp.Body.Close()
		}
	}()
	receive(t, "the request", inside)
	cancel()
	if err := receive(t, "the end", ended); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
	close(release)
}

func TestListenAndServeReturnsFaults(t *testing.T) {
	w := newTestWorker(t)
	Register(w, plainClass("bad"))
	if err := w.ListenAndServe(t.Context(), "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("a fault of registration: %v", err)
	}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	other := newTestWorker(t)
	if err := other.ListenAndServe(t.Context(), ln.Addr().String()); err == nil {
		t.Error("an address that is taken: no error")
	}
	if err := other.Start(t.Context()); err != nil {
		t.Errorf("the worker can't be used after that: %v", err)
	}
}

func TestListenAndServeBoundsHeaders(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newTestWorker(t)
	base, ended := listening(ctx, t, w, func(context.Context, *plain) {})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/plains/one", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for size, want := range map[int]int{60 << 10: http.StatusNoContent, 80 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		req.Header.Set("X-Large", strings.Repeat("x", size))
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want {
			t.Errorf("%d bytes: status %d, not %d", size, resp.StatusCode, want)
		}
		_ = resp.Body.Close()
	}
	cancel()
	if err := receive(t, "the end", ended); err != nil {
		t.Error(err)
	}
}
