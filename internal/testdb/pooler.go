package testdb

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// PgBouncer starts one in front of the server that ./test has started, for the time of a
// test: it gives each transaction any session. It returns how a database is named through
// it.
func PgBouncer(t testing.TB) (through func(url string) string) {
	t.Helper()
	server := os.Getenv(postgresEnv)
	if server == "" {
		if testing.Short() {
			t.Skip("it needs PostgreSQL")
		}
		t.Fatalf("%s isn't set: ./test starts a PostgreSQL and sets it; -short leaves such tests out", postgresEnv)
	}
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // where Debian has it, out of most users' PATH
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pinned-pgbouncer-") //nolint:usetesting // a folder of t.TempDir is not for the user that runs it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := fmt.Sprintf(`[databases]
* = host=%s port=%s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
`, u.Hostname(), u.Port(), u.User.Username(), port)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), program, "-q", file)
	if os.Getuid() == 0 { // it refuses to run as root
		as := nobody(t)
		for _, name := range []string{dir, file} {
			if err := os.Chown(name, int(as.Uid), int(as.Gid)); err != nil {
				t.Fatal(err)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for begin := time.Now(); ; {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("PgBouncer doesn't listen: ", err)
		}
		<-time.After(10 * time.Millisecond)
	}
	return func(database string) string {
		u, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		u.Host = address
		return u.String()
	}
}
