package peer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/internal/testdb"
	"github.com/pinned-go/pinned/runtime"
)

// side is a worker with lanes, ours or the peer's.
type side struct {
	name string
	base string
	kill func() // at once: what isn't in the store by then never will be
	stop func() // as a deploy stops it
	log  *lines
}

// client keeps no connection that a killed side would reset.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// names are those of the sides, in the ids of the lanes.
var names = []string{"go", "py"}

// start starts a side. setup has the peer make the tables; ours makes those that are
// missing anyway.
func start(t *testing.T, name, url string, setup bool) *side {
	t.Helper()
	if name == "go" {
		return startGo(t, url)
	}
	return startPython(t, url, setup)
}

func startGo(t *testing.T, url string) *side {
	t.Helper()
	store, err := postgres.New(url)
	if err != nil {
		t.Fatal(err)
	}
	s := &side{name: "go", log: &lines{}}
	w, err := runtime.NewWorker(runtime.WithStore(store), runtime.WithActivationSlots(64, time.Second),
		runtime.WithLogger(slog.New(slog.NewTextHandler(s.log, nil))), runtime.WithDrainTimeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	g := newGate()
	Register(w, SetupLane(func(l *Lane) { l.gate = g }))
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	s.base = server.URL
	closed := false
	s.stop = func() {
		if closed {
			return
		}
		closed = true
		if err := w.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		server.Close()
		_ = store.Close()
	}
	s.kill = func() {
		_ = store.Close()
		s.stop()
	}
	t.Cleanup(s.kill)
	return s
}

func startPython(t *testing.T, url string, setup bool) *side {
	t.Helper()
	s := &side{name: "py", log: &lines{}}
	cmd := exec.CommandContext(t.Context(), testdb.PeerPython(t), "lane.py", url)
	if setup {
		cmd.Args = append(cmd.Args, "setup")
	}
	cmd.Stderr = s.log
	if _, err := cmd.StdinPipe(); err != nil { // it ends with us
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	s.stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Log(s.log.text())
		}
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.kill()
		t.Fatalf("%v\n%s", err, s.log.text())
	}
	s.base = "http://127.0.0.1:" + strings.TrimSpace(port)
	return s
}

// do carries out a step, and returns the view. It waits while the worker asks for that.
func (s *side) do(ctx context.Context, id string, step Step) (string, error) {
	body, err := json.Marshal(step)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	for {
		status, answer, err := s.post(ctx, id, body)
		switch {
		case err != nil:
			return "", err
		case status == http.StatusOK:
			return answer, nil
		case status != http.StatusServiceUnavailable:
			return "", fmt.Errorf("%s: %s: %s: status %d: %s", s.name, id, body, status, answer)
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("%s: %s: %s: %s", s.name, id, body, answer)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *side) post(ctx context.Context, id string, body []byte) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/lanes/"+id+"/do", bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	read, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(read), err
}
