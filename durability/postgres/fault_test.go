package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/internal/testdb"
)

// eventually tries until it works, which takes a while after a server has come back.
func eventually(t *testing.T, do func() error) {
	t.Helper()
	var err error
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		if err = do(); err == nil {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatal(err)
}

func TestAKilledServerComesBack(t *testing.T) {
	t.Parallel()
	server := testdb.PostgresServer(t)
	s := open(t, server.URL, postgres.WithTimeouts(2*time.Second, 5*time.Second))
	if _, _, err := s.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	for round := range 3 {
		for range 20 {
			if err := s.Apply(t.Context(), key, 0, put(acknowledged+1)); err != nil {
				t.Fatal(err)
			}
			acknowledged++
		}
		server.Kill()
		var err error
		for { // a session outlives its server's first process by a moment
			if err = s.Apply(t.Context(), key, 0, put(acknowledged+1)); err != nil {
				break
			}
			acknowledged++
		}
		server.Start()
		var row durability.Row
		eventually(t, func() (err error) {
			row, _, err = s.Get(t.Context(), key, 0, tray)
			return err
		})
		var unknown *durability.UnknownError
		if errors.As(err, &unknown) && string(row.Doc) == fmt.Sprintf(`{"n": %d}`, acknowledged+1) {
			acknowledged++ // it was committed
		}
		if want := fmt.Sprintf(`{"n": %d}`, acknowledged); string(row.Doc) != want {
			t.Errorf("round %d: %s is stored, want %s, after %v", round, row.Doc, want, err)
		}
	}
}

func TestAHalfOpenConnectionIsGivenUp(t *testing.T) {
	t.Parallel()
	link := testdb.Through(t, testdb.Postgres(t))
	s := open(t, link.URL, postgres.WithTimeouts(500*time.Millisecond, time.Second))
	if err := s.Apply(t.Context(), key, 0, put(1)); err != nil {
		t.Fatal(err)
	}
	link.Freeze()
	begin := time.Now()
	var unknown *durability.UnknownError
	if err := s.Apply(t.Context(), key, 0, put(2)); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if _, _, err := s.Get(t.Context(), key, 0, tray); err == nil || errors.As(err, &unknown) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it was waited for %v", took)
	}
	link.Thaw()
	eventually(t, func() error { return s.Apply(t.Context(), key, 0, put(3)) })
	want(t, s, 0, `{"n": 3}`)
}

func TestTheHoldOutlivesItsSession(t *testing.T) {
	t.Parallel()
	db := testdb.Postgres(t)
	s, second := open(t, db), open(t, db)
	release, _, err := s.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		testdb.Exec(t, db, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if err := s.Apply(t.Context(), key, 0, put(n)); err != nil {
			t.Fatalf("%d: %v", n, err)
		}
	}
	// A write may be through before the end of the session is noticed, and then the lock is
	// free for a moment.
	eventually(t, func() error { return locked(t, db) })
	var used *durability.InUseError
	if _, _, err := second.Hold(t.Context()); !errors.As(err, &used) {
		t.Errorf("another one has got the hold: %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	eventually(t, func() error { _, _, err := second.Hold(t.Context()); return err })
}

// locked fails where no session has an advisory lock in a database.
func locked(t *testing.T, db string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var n int
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
WHERE locktype = 'advisory' AND granted AND d.datname = current_database()`).Scan(&n)
	if err == nil && n == 0 {
		err = errors.New("nobody has the lock")
	}
	return err
}

func TestWhoeverHasLostTheHoldToAnotherWritesNothing(t *testing.T) {
	t.Parallel()
	db := testdb.Postgres(t)
	link := testdb.Through(t, db)
	s, second := open(t, link.URL, postgres.WithTimeouts(500*time.Millisecond, time.Second)), open(t, db)
	if _, _, err := s.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), key, 0, put(1)); err != nil {
		t.Fatal(err)
	}
	link.Freeze()
	testdb.Exec(t, db, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	var release func() error
	eventually(t, func() (err error) {
		release, _, err = second.Hold(t.Context())
		return err
	})
	if err := second.Apply(t.Context(), key, 0, put(2)); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil { // and goes, so that the lock is free again
		t.Error(err)
	}
	link.Thaw()
	var used *durability.InUseError
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		err := s.Apply(t.Context(), key, 0, put(3))
		if errors.As(err, &used) {
			break
		}
		if err == nil {
			t.Fatal("it wrote what it had in memory over what another has written")
		}
	}
	if used == nil {
		t.Error("it isn't told that another has had the store")
	}
	want(t, second, 0, `{"n": 2}`)
}

func TestWhatIsGivenUpIsNotSentLater(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	conn, err := postgres.Dialer(time.Minute)(context.Background(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	if err := conn.SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(make([]byte, 64<<20)); err == nil {
		t.Fatal("the system takes 64 MiB that nobody reads")
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, server); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%v, want that the rest was dropped", err)
	}
}
