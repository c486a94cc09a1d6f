package sqlite_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	zombiezen "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/sqlite"
)

func room(n int) durability.Key { return durability.Key{Namespace: "/rooms", ID: fmt.Sprint(n)} }

// lockFile takes the lock of writers, as another program can.
func lockFile(t *testing.T, path string) (unlock func()) {
	t.Helper()
	conn, err := zombiezen.OpenConn(path, zombiezen.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		if err := errors.Join(sqlitex.ExecuteTransient(conn, "ROLLBACK", nil), conn.Close()); err != nil {
			t.Error(err)
		}
	})
}

func unchangedError(err error) bool {
	var rejected *durability.RejectedError
	var unknown *durability.UnknownError
	var lost *durability.FenceLost
	return err != nil && !errors.As(err, &rejected) && !errors.As(err, &unknown) && !errors.As(err, &lost)
}

func TestAStoreNeedsAFile(t *testing.T) {
	for _, path := range []string{"", ":memory:"} {
		if s, err := sqlite.Open(path); err == nil || !strings.Contains(err.Error(), "needs a file") {
			t.Errorf("%q: %v, %v", path, s, err)
		}
	}
}

func TestAnotherProgramsFileIsLeftAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	conn, err := zombiezen.OpenConn(path, zombiezen.OpenReadWrite, zombiezen.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, "CREATE TABLE t (x); INSERT INTO t VALUES (1);", nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(path); err == nil {
		t.Fatal("it was opened")
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed: %v", err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("files were left: %v, %v", files, err)
	}
}

func TestWhatSQLiteRefusesFailsAlone(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "rooms.db"))
	// The index of due alarms reads the document, and SQLite reads 1,000 levels.
	deep := durability.Put{Tray: durability.AlarmTray, Row: durability.Row{Doc: []byte(`{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`)}}
	var batches []durability.Batch
	for i := range 9 {
		batches = append(batches, durability.Batch{Key: room(i), Epoch: int64(i), Ops: put(i)})
	}
	batches[2].Ops = append(batches[2].Ops, deep)
	batches[6].Ops = append(batches[6].Ops, deep)
	if err := s.Apply(t.Context(), room(4), 9, put(0)); err != nil {
		t.Fatal(err)
	}
	for i, err := range s.ApplyAll(t.Context(), batches) {
		var rejected *durability.RejectedError
		var lost *durability.FenceLost
		switch {
		case i == 2 || i == 6:
			if !errors.As(err, &rejected) || rejected.Key != room(i) {
				t.Errorf("%d: %v", i, err)
			}
		case i == 4:
			if !errors.As(err, &lost) || lost.Stored != 9 {
				t.Errorf("%d: %v", i, err)
			}
		case err != nil:
			t.Errorf("%d: %v", i, err)
		}
		_, there, err := s.Get(t.Context(), room(i), 9, tray)
		if err != nil || there == (i == 2 || i == 6) {
			t.Errorf("%d: the row is there: %v, %v", i, there, err)
		}
	}
}

func TestAFullDiskFailsAndNothingIsLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	s := open(t, path)
	if err := s.LimitPages(60); err != nil {
		t.Fatal(err)
	}
	doc := fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("x", 8000))
	written := 0
	var err error
	for ; written < 100; written++ {
		if err = s.Put(t.Context(), room(written), 1, tray, durability.Row{Doc: doc}); err != nil {
			break
		}
	}
	if !unchangedError(err) || !strings.Contains(err.Error(), path) || written == 0 {
		t.Fatalf("after %d: %v", written, err)
	}
	if epoch, err := s.StoredEpoch(t.Context(), room(written)); epoch != 0 || err != nil {
		t.Errorf("the epoch of what failed is %d, %v", epoch, err)
	}
	if err := s.LimitPages(1 << 20); err != nil {
		t.Fatal(err)
	}
	for n := range written + 1 {
		if n == written {
			if err := s.Put(t.Context(), room(n), 1, tray, durability.Row{Doc: doc}); err != nil {
				t.Error(err)
			}
		}
		if row, ok, err := s.Get(t.Context(), room(n), 1, tray); !ok || err != nil || !bytes.Equal(row.Doc, doc) {
			t.Errorf("%d: %v, %v", n, ok, err)
		}
	}
}

func TestACorruptFileIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		if err := s.Put(t.Context(), room(n), 0, tray, durability.Row{Doc: fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("x", 1000))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096 * 4; i < len(content); i++ {
		content[i] = byte(i * 31)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlite.Open(path); err == nil {
		defer func() { _ = s.Close() }()
		for n := 0; n < 100 && err == nil; n++ {
			_, err = s.List(t.Context(), room(n), 0, durability.Filter{})
		}
	}
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

func TestABusyFileIsWaitedForButNotForEver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rooms.db")
	s := open(t, path)
	if err := s.Apply(t.Context(), key, 0, put(1)); err != nil {
		t.Fatal(err)
	}
	unlock := lockFile(t, path)
	defer unlock()
	if err := s.Apply(t.Context(), key, 1, put(2)); !unchangedError(err) {
		t.Error(err)
	}
	if row, _, err := s.Get(t.Context(), key, 0, tray); err != nil || string(row.Doc) != `{"n":1}` {
		t.Errorf("%s, %v", row.Doc, err)
	}
	unlock()
	if err := s.Apply(t.Context(), key, 1, put(3)); err != nil {
		t.Error(err)
	}
}

func TestTheEndOfAContextTakesAQueuedWriteBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	s := open(t, path)
	unlock := lockFile(t, path)
	defer unlock()
	first := make(chan error, 1)
	go func() { first <- s.Apply(context.Background(), room(1), 0, put(1)) }()
	<-time.After(20 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Apply(ctx, room(2), 0, put(2)); !errors.Is(err, context.DeadlineExceeded) || !unchangedError(err) {
		t.Error(err)
	}
	unlock()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if _, ok, err := s.Get(t.Context(), room(2), 0, tray); ok || err != nil {
		t.Error("what was taken back is there:", ok, err)
	}
}

// commits counts the commits in a write-ahead log.
func commits(t *testing.T, path string) (n int) {
	t.Helper()
	wal, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	const header, frame = 32, 24
	page := int(binary.BigEndian.Uint32(wal[8:]))
	for at := header; at+frame+page <= len(wal); at += frame + page {
		if binary.BigEndian.Uint32(wal[at+4:]) > 0 {
			n++
		}
	}
	return n
}

func TestWhatWaitsSharesATransaction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	s := open(t, path)
	before := commits(t, path)
	unlock := lockFile(t, path)
	defer unlock()
	var wg sync.WaitGroup
	for n := range 64 {
		wg.Go(func() {
			if err := s.Apply(t.Context(), room(n), 0, put(n)); err != nil {
				t.Error(err)
			}
		})
	}
	<-time.After(100 * time.Millisecond)
	unlock()
	wg.Wait()
	if n := commits(t, path) - before; n < 1 || n > 16 {
		t.Errorf("64 writes that waited took %d commits", n)
	}
}

func TestTheLogStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	s := open(t, path)
	doc := fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("x", 16<<10))
	for n := range 2000 {
		if err := s.Put(t.Context(), room(n%50), 0, tray, durability.Row{Doc: doc}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.List(t.Context(), room(n%50), 0, durability.Filter{}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() > 16<<20 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
}

func TestTwoProcessesWriteToOneFile(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	path := filepath.Join(t.TempDir(), "rooms.db")
	s := open(t, path)
	release, _, err := s.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = release() }()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	for n := range 50 {
		if _, err := out.Read(buf); err != nil { // the other one writes too
			t.Fatal(err)
		}
		if err := s.Apply(t.Context(), room(n), 0, put(n)); err != nil {
			t.Error(err)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for n := range 50 {
		if _, ok, err := s.Get(t.Context(), room(n), 0, tray); !ok || err != nil {
			t.Error(n, ok, err)
		}
	}
}
