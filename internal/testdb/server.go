package testdb

import (
	"bytes"
	"context"

	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"

	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// binEnv names the folder of PostgreSQL's programs, which ./test sets.
const binEnv = "PINNED_TEST_POSTGRES_BIN"

// Server is a PostgreSQL of a test's own, which it may kill. It syncs to the disk, as the
// others do.
type Server struct {
	// URL is that of its only database. It stays the same over restarts.
	URL string

	t    testing.TB
	bin  string
	dir  string
	port string
	as   *syscall.Credential
	cmd  *exec.Cmd
}

// PostgresServer starts a server, which is gone after the test.
func PostgresServer(t testing.TB) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a PostgreSQL")
	}
	s := &Server{t: t, bin: os.Getenv(binEnv)}
	if s.bin == "" {
		t.Fatalf("%s isn't set: ./test sets it; -short leaves such tests out", binEnv)
	}
	dir, err := os.MkdirTemp("", "pinned-postgres-") //nolint:usetesting // a folder of t.TempDir is not for the user that runs the server
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s.dir = dir
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		s.as = nobody(t)
		if err := os.Chown(dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	s.program(t, "initdb", "-D", filepath.Join(dir, "data"), "-A", "trust", "-U", "pinned", "--encoding=UTF8", "--locale=C")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, s.port, _ = net.SplitHostPort(ln.Addr().String())
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	s.URL = "postgres://pinned@127.0.0.1:" + s.port + "/postgres"
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// nobody is the user that runs servers for root.
func nobody(t testing.TB) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	return cmd
}

func (s *Server) program(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := s.command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Start starts the server after a Kill, and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	var out bytes.Buffer
	for begin := time.Now(); ; {
		out.Reset()
		cmd := s.command("postgres", "-D", filepath.Join(s.dir, "data"), "-c", "listen_addresses=127.0.0.1", "-p", s.port, "-k", s.dir)
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // its log says why
			close(ended)
		}()
		for s.answers() != nil {
			select {
			case <-ended:
			case <-time.After(20 * time.Millisecond):
				if time.Since(begin) < time.Minute {
					continue
				}
				s.t.Fatalf("PostgreSQL doesn't answer:\n%s", out.String())
			}
			break
		}
		select {
		case <-ended: // the processes of the one before are still ending
			if time.Since(begin) > time.Minute {
				s.t.Fatalf("PostgreSQL doesn't start:\n%s", out.String())
			}
			<-time.After(20 * time.Millisecond)
		default:
			s.cmd = cmd
			return
		}
	}
}

func (s *Server) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// Kill ends the server's first process as kill -9 does; the others end when they see it.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	for begin := time.Now(); s.answers() == nil && time.Since(begin) < time.Minute; {
		<-time.After(10 * time.Millisecond)
	}
	s.cmd = nil
}

// Cut ends all sessions at the server.
func (s *Server) Cut() {
	s.t.Helper()
	run(s.t, s.URL, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
}

// Link is a way to a server that can be cut or freeze, as a network can.
type Link struct {
	// URL is the server's by this link.
	URL string

	mu     sync.Mutex
	frozen chan struct{} // closed: it isn't
	conns  map[net.Conn]struct{}
}

// Through makes a link to the server of a URL, for the time of a test.
func Through(t testing.TB, server string) *Link {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	to := u.Host
	u.Host = ln.Addr().String()
	l := &Link{URL: u.String(), frozen: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(l.frozen)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			l.mu.Lock()
			l.conns[in], l.conns[out] = struct{}{}, struct{}{}
			l.mu.Unlock()
			wg.Go(func() { l.pump(in, out) })
			wg.Go(func() { l.pump(out, in) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		l.Thaw()
		wg.Wait()
	})
	return l
}

// pump carries bytes one way, until an end is closed. Those of a frozen link wait.
func (l *Link) pump(to io.WriteCloser, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		l.mu.Lock()
		frozen := l.frozen
		l.mu.Unlock()
		<-frozen
		l.mu.Lock()
		_, alive := l.conns[from]
		l.mu.Unlock()
		if !alive {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// Freeze stops the link: nothing comes through, and no end is told.
func (l *Link) Freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.frozen = make(chan struct{})
}

// Thaw lets new connections through a frozen link. Those that froze are cut, and what was
// in them is lost.
func (l *Link) Thaw() {
	l.Cut()
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.frozen:
	default:
		close(l.frozen)
	}
}

// Cut closes all connections.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close()
	}
	clear(l.conns)
}
