package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// server is a process that serves what one side has of a contest.
type server struct {
	address string // host:port of what is measured
	control string // URL of what makes residents and settles; empty: there is none
	pid     int
	stop    func()
}

// kind is a program that can be such a process.
type kind struct {
	name string
	// command returns it with all that it needs in place.
	command func(ctx context.Context, l *lab) (*exec.Cmd, error)
	// resident makes ids residents, from the first on; nil: by a request for each.
	resident func(ctx context.Context, s *server, first, count int) error
}

// ours is an object of bench/rooms on a worker with ListenAndServe.
func ours(flags ...string) kind {
	return kind{
		name: "ours",
		command: func(ctx context.Context, l *lab) (*exec.Cmd, error) {
			binary, err := l.buildOurs(ctx, "bench/server")
			return exec.CommandContext(ctx, binary, flags...), err
		},
	}
}

// bare is a plain net/http handler with the same answers.
var bare = kind{
	name: "net/http",
	command: func(ctx context.Context, l *lab) (*exec.Cmd, error) {
		binary, err := l.buildPeer(ctx, "./bare")
		return exec.CommandContext(ctx, binary), err
	},
}

// python is the same object on a version of the PyPI package pinned, in local
// mode under uvicorn.
func python(version string) kind {
	return kind{
		name: "pinned " + version,
		command: func(ctx context.Context, l *lab) (*exec.Cmd, error) {
			interpreter, err := l.python(ctx, version)
			return exec.CommandContext(ctx, interpreter, filepath.Join(l.root, "bench", "peers", "python", "serve.py")), err
		},
		resident: func(ctx context.Context, s *server, first, count int) error {
			return s.post(ctx, fmt.Sprintf("/bench/residents/%d/%d", first, count), nil)
		},
	}
}

// pythons are the versions that ours is compared with.
var pythons = []string{"0.16.0", "0.2.0"}

// start runs a server until the stage closes, or sooner if it is stopped.
func (s *stage) start(ctx context.Context, k kind) (*server, error) {
	cmd, err := k.command(ctx, s.lab)
	if err != nil {
		return nil, err
	}
	started, err := launch(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", k.name, err)
	}
	s.atEnd(started.stop)
	return started, nil
}

// launch starts a process and waits for its first line: the URL of what is
// measured and, where it differs, that of the controls. The process ends when its
// standard input does, so none outlives this one.
func launch(cmd *exec.Cmd) (*server, error) {
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	complaints := &tail{}
	cmd.Stderr = complaints
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := sync.OnceFunc(func() {
		_ = input.Close()
		kill := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		_ = cmd.Wait()
	})

	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("it ended before it served: %s", complaints)
	}
	urls := strings.Fields(line)
	if len(urls) == 0 {
		stop()
		return nil, errors.New("its first line holds no URL")
	}
	base, err := url.Parse(urls[0])
	if err != nil {
		stop()
		return nil, fmt.Errorf("its first line: %w", err)
	}
	return &server{
		address: base.Host,
		control: urls[len(urls)-1],
		pid:     cmd.Process.Pid,
		stop:    stop,
	}, nil
}

// populate makes count residents of k at s, named as id names them.
func (k kind) populate(ctx context.Context, s *server, first, count int) error {
	resident := k.resident
	if resident == nil {
		resident = residentByRequest
	}
	if err := resident(ctx, s, first, count); err != nil {
		return fmt.Errorf("make %d residents of %s: %w", count, k.name, err)
	}
	return nil
}

func residentByRequest(ctx context.Context, s *server, first, count int) error {
	if count == 0 {
		return nil
	}
	_, err := newIDs(s, 64, first, count).run(ctx, 0)
	return err
}

// post asks the controls for something.
func (s *server) post(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.control+path, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s: %s: %s", path, res.Status, body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}

// settle has the server collect its garbage and give free memory back, and
// returns the bytes of live heap, where it knows them.
func (s *server) settle(ctx context.Context) (heap float64, err error) {
	var answer struct {
		Heap float64 `json:"heap"`
	}
	err = s.post(ctx, "/bench/settle", &answer)
	return answer.Heap, err
}

// rss is the bytes of memory that the process has resident (Linux).
func (s *server) rss() (float64, error) {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.pid))
	if err != nil {
		return 0, fmt.Errorf("read resident memory: %w", err)
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0, fmt.Errorf("read resident memory: %q has no second field", statm)
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	if err != nil {
		return 0, fmt.Errorf("read resident memory: %w", err)
	}
	return pages * float64(os.Getpagesize()), nil
}

// tail keeps the end of what a process complains about.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
