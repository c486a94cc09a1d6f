package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pinned-go/pinned/bench/pages"
	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/runtime"
)

// connections is how many database connections each side has at most.
const connections = 8

// postgresContests have durable writes go to PostgreSQL.
func postgresContests() []contest {
	var all []contest
	for _, c := range []struct {
		against string
		flags   []string
		target  float64
	}{{"transactions", nil, 10}, {"fenced statements", []string{"-statement"}, 5}} {
		all = append(all, contest{
			name: "durable/postgres/1-id/64-conns", against: c.against, unit: "writes/s", target: c.target,
			open: func(ctx context.Context, s *stage) (measure, measure, error) {
				return s.writers(ctx, 1, plain(c.flags...))
			},
		})
	}
	all = append(all, contest{
		name: "durable/postgres/1-id/64-conns/p99", against: againstLimit, unit: "ms", scale: lessIsBetter, target: 1,
		open: func(ctx context.Context, s *stage) (measure, measure, error) {
			mine, err := s.writes(ctx, noteServer, 1, func(t tally) float64 { return float64(t.p99.Microseconds()) / 1000 })
			return mine, limit(10), err
		},
	}, contest{
		name: "durable/postgres/1000-ids/256-clients", against: "pgbench", unit: "writes/s", target: 2, pace: fewer,
		open: func(ctx context.Context, s *stage) (measure, measure, error) {
			mine, err := s.postgresNotes(ctx, 1_000, 256)
			if err != nil {
				return nil, nil, err
			}
			theirs, err := s.pgbench(ctx, 1_000)
			return mine, theirs, err
		},
	}, contest{
		name: "durable/postgres/1000-ids/64-conns", against: "pgbench", unit: "writes/s", target: 1, pace: fewer,
		open: func(ctx context.Context, s *stage) (measure, measure, error) {
			mine, err := s.writes(ctx, noteServer, 1_000, tally.rate)
			if err != nil {
				return nil, nil, err
			}
			theirs, err := s.pgbench(ctx, 1_000)
			return mine, theirs, err
		},
	})
	for ids, target := range map[int]float64{1: 6, 64: 8} {
		all = append(all, contest{
			name: fmt.Sprintf("trays/postgres/%s/64-conns", plural(ids, "id")), against: "pinned 0.16.0", unit: "adds/s", target: target,
			open: func(ctx context.Context, s *stage) (measure, measure, error) {
				mine, err := s.adds(ctx, noteServer, ids)
				if err != nil {
					return nil, nil, err
				}
				theirs, err := s.adds(ctx, tallyOf("0.16.0"), ids)
				return mine, theirs, err
			},
		})
	}
	slices.SortStableFunc(all, func(a, b contest) int { return strings.Compare(a.title(), b.title()) })
	return all
}

// noteServer is our server with its store in a database.
func noteServer(url string) kind { return ours("-postgres=" + url) }

// plain is the server that writes each request by itself.
func plain(flags ...string) func(url string) kind {
	return func(url string) kind {
		return kind{
			name: "plain",
			command: func(ctx context.Context, l *lab) (*exec.Cmd, error) {
				binary, err := l.buildOurs(ctx, "bench/plain")
				return exec.CommandContext(ctx, binary, append([]string{"-postgres=" + url}, flags...)...), err
			},
		}
	}
}

// tallyOf is the tray of a version of the PyPI package, with its store in a database.
func tallyOf(version string) func(url string) kind {
	return func(url string) kind {
		return kind{
			name: "pinned " + version,
			command: func(ctx context.Context, l *lab) (*exec.Cmd, error) {
				interpreter, err := l.python(ctx, version)
				return exec.CommandContext(ctx, interpreter, filepath.Join(l.root, "bench", "peers", "python", "tally.py"), url), err
			},
		}
	}
}

// writers compares our server with another.
func (s *stage) writers(ctx context.Context, ids int, theirs func(url string) kind) (mine, other measure, err error) {
	if mine, err = s.writes(ctx, noteServer, ids, tally.rate); err != nil {
		return nil, nil, err
	}
	other, err = s.writes(ctx, theirs, ids, tally.rate)
	return mine, other, err
}

// writes has 64 connections replace notes, each time by another text.
func (s *stage) writes(ctx context.Context, of func(url string) kind, ids int, figure func(tally) float64) (measure, error) {
	return s.posts(ctx, of, "/pages/%d/text", `{"text":"%d"}`, ids, figure)
}

// adds has 64 connections add to trays.
func (s *stage) adds(ctx context.Context, of func(url string) kind, ids int) (measure, error) {
	return s.posts(ctx, of, "/tallies/%d/add", `{"n":%d}`, ids, tally.rate)
}

func (s *stage) posts(ctx context.Context, of func(url string) kind, path, body string, ids int, figure func(tally) float64) (measure, error) {
	const conns = 64
	url, err := s.database(ctx, ids)
	if err != nil {
		return nil, err
	}
	server, err := s.start(ctx, of(url))
	if err != nil {
		return nil, err
	}
	request := func(id, n int) []byte {
		doc := fmt.Sprintf(body, n)
		return fmt.Appendf(nil, "POST "+path+" HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			id, server.address, len(doc), doc)
	}
	var next atomic.Int64
	everybody := load{address: server.address, conns: min(conns, ids), warmup: request(0, 0), request: func(int, int) []byte {
		id := int(next.Add(1)) - 1
		if id >= ids {
			return nil
		}
		return request(id, 1)
	}}
	if _, err := everybody.run(ctx, 0); err != nil { // all ids are resident
		return nil, err
	}
	number := 0
	return func(ctx context.Context) (float64, error) {
		number++
		base := number * 10_000_000
		work := load{
			address: server.address, conns: conns, warmup: request(0, 0), timed: true,
			request: func(conn, n int) []byte { return request((conn*17+n)%ids, base+n*conns+conn) },
		}
		total, err := work.run(ctx, s.pace.window)
		return figure(total), err
	}, nil
}

// postgresNotes measures our writes by clients of this process.
func (s *stage) postgresNotes(ctx context.Context, ids, clients int) (measure, error) {
	url, err := s.database(ctx, ids)
	if err != nil {
		return nil, err
	}
	db, err := postgres.New(url, postgres.WithPoolSize(connections), postgres.WithPreparedStatements())
	if err != nil {
		return nil, err
	}
	worker, err := runtime.NewWorker(runtime.WithStore(db), runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	pages.Register(worker)
	if err := worker.Start(ctx); err != nil {
		return nil, err
	}
	s.atEnd(func() {
		_ = worker.Shutdown(context.Background())
		_ = db.Close()
	})
	client := pages.InProcess(worker)
	all := make([]pages.PageCalls, ids)
	for i := range all {
		all[i] = client.Page(strconv.Itoa(i))
		if _, err := all[i].Replace(ctx, pages.Text{Text: "first"}); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (float64, error) {
		return hammer(ctx, s.pace.window, clients, func(ctx context.Context, n int) error {
			_, err := all[n%ids].Replace(ctx, pages.Text{Text: strconv.Itoa(n)})
			return err
		})
	}, nil
}

// pgbench measures raw clients that do the same upsert behind the same fence, one
// statement each time, prepared.
func (s *stage) pgbench(ctx context.Context, ids int) (measure, error) {
	url, err := s.database(ctx, ids)
	if err != nil {
		return nil, err
	}
	dir, err := s.tempDir()
	if err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "upsert.sql")
	text := fmt.Sprintf(`\set id random(0, %d)
\set n random(0, 1000000000)
WITH fence AS (SELECT ns, id FROM plain_epoch WHERE ns = '/pages' AND id = :id::text AND epoch <= 0 FOR UPDATE)
INSERT INTO plain_rows (ns, id, tray_ns, tray_id, marked, doc) SELECT ns, id, 'pinned', 'object', false, jsonb_build_object('text', :n::text) FROM fence
ON CONFLICT (ns, id, tray_ns, tray_id) DO UPDATE SET marked = excluded.marked, doc = excluded.doc;
`, ids-1)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return nil, err
	}
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	tps := regexp.MustCompile(`tps = ([0-9.]+)`)
	return func(ctx context.Context) (float64, error) {
		window := max(1, int(s.pace.window/time.Second))
		out, err := s.output(ctx, dir, filepath.Join(bin, "pgbench"), "-n", "-c", strconv.Itoa(connections), "-j", "2",
			"-T", strconv.Itoa(window), "-M", "prepared", "-f", script, url)
		if err != nil {
			return 0, err
		}
		found := tps.FindStringSubmatch(out)
		if found == nil {
			return 0, fmt.Errorf("pgbench says no tps:\n%s", out)
		}
		return strconv.ParseFloat(found[1], 64)
	}, nil
}

// postgresPackage is what the durable benchmarks need of the machine.
var postgresPackage = []debian{{"postgresql", []string{"sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb"}}}

// postgresBin is the folder of the newest PostgreSQL's programs.
func postgresBin() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("PostgreSQL's programs aren't in /usr/lib/postgresql: %w", os.ErrNotExist)
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

func version(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return n
}

// database starts a PostgreSQL for the stage, as it comes, and returns a database with the
// tables of who isn't ours, and an epoch for each id.
func (s *stage) database(ctx context.Context, ids int) (string, error) {
	if s.postgres == "" {
		url, err := s.startPostgres(ctx)
		if err != nil {
			return "", err
		}
		s.postgres = url
	}
	s.databases++
	name := "bench" + strconv.Itoa(s.databases)
	if err := execute(ctx, s.postgres+"/postgres", "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	url := s.postgres + "/" + name
	return url, execute(ctx, url,
		`CREATE TABLE plain_epoch (ns text NOT NULL, id text NOT NULL, epoch bigint NOT NULL, PRIMARY KEY (ns, id))`,
		`CREATE TABLE plain_rows (ns text NOT NULL, id text NOT NULL, tray_ns text NOT NULL, tray_id text NOT NULL, marked boolean NOT NULL, doc jsonb NOT NULL,
			env text NOT NULL DEFAULT '*', hostname text NOT NULL DEFAULT '*', PRIMARY KEY (ns, id, tray_ns, tray_id))`,
		fmt.Sprintf(`INSERT INTO plain_epoch SELECT '/pages', i::text, 0 FROM generate_series(0, %d) AS i`, ids-1))
}

func execute(ctx context.Context, url string, statements ...string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// startPostgres starts a server that ends with the stage. It refuses to run as root.
func (s *stage) startPostgres(ctx context.Context) (string, error) {
	if err := s.install(ctx, postgresPackage); err != nil {
		return "", err
	}
	bin, err := postgresBin()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "pinned-bench-")
	if err != nil {
		return "", err
	}
	s.atEnd(func() { _ = os.RemoveAll(dir) })
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		if as.Credential, err = postgresUser(); err != nil {
			return "", err
		}
		if err := os.Chown(dir, int(as.Credential.Uid), int(as.Credential.Gid)); err != nil {
			return "", err
		}
	}
	program := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = dir, as
		cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C.UTF-8")
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := program("initdb", "-D", data, "-A", "trust", "-U", "bench").CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w\n%s", err, out)
	}
	address, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	_, port, _ := net.SplitHostPort(address)
	server := program("postgres", "-D", data, "-p", port, "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300")
	complaints := &tail{}
	server.Stderr = complaints
	if err := server.Start(); err != nil {
		return "", err
	}
	s.atEnd(func() {
		_ = server.Process.Signal(syscall.SIGQUIT)
		_ = server.Wait()
	})
	url := "postgres://bench@" + address
	for began := time.Now(); ; {
		if err = execute(ctx, url+"/postgres"); err == nil {
			return url, nil
		}
		if ctx.Err() != nil || time.Since(began) > patience {
			return "", fmt.Errorf("PostgreSQL doesn't answer: %w\n%s", err, complaints)
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // there is no event to wait for
	}
}

func postgresUser() (*syscall.Credential, error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func freePort(ctx context.Context) (string, error) {
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().String(), nil
}
