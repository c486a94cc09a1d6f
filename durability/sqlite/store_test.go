package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	zombiezen "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/sqlite"
)

var (
	key  = durability.Key{Namespace: "/rooms", ID: "lobby"}
	tray = durability.Tray{Namespace: "pinned", ID: "object"}
)

// writerEnv names the file that the test's own binary writes to until it is killed.
const writerEnv = "PINNED_TEST_SQLITE_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		writeUntilKilled(path)
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(n int) []durability.Op {
	return []durability.Op{durability.Put{Tray: tray, Row: durability.Row{Doc: fmt.Appendf(nil, `{"n":%d}`, n)}}}
}

func TestRowsAreThereAfterTheStoreWasClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), key, 3, put(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), key, 3, put(2)); !errors.Is(err, durability.ErrClosed) {
		t.Error(err)
	}
	s = open(t, path)
	row, ok, err := s.Get(t.Context(), key, 3, tray)
	if err != nil || !ok || string(row.Doc) != `{"n":1}` {
		t.Errorf("%s, %v, %v", row.Doc, ok, err)
	}
	var lost *durability.FenceLost
	if err := s.Apply(t.Context(), key, 2, put(2)); !errors.As(err, &lost) || lost.Stored != 3 {
		t.Error(err)
	}
}

// writeUntilKilled tells of each write once it is acknowledged.
func writeUntilKilled(path string) {
	s, err := sqlite.Open(path)
	if err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		if err := s.Apply(context.Background(), key, 0, put(n)); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString(strconv.Itoa(n) + "\n")
	}
}

func TestWhatIsAcknowledgedSurvivesKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	path := filepath.Join(t.TempDir(), "rooms.db")
	for round := range 10 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if acknowledged, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
			if acknowledged == 20+round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		s, err := sqlite.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		row, ok, err := s.Get(t.Context(), key, 0, tray)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		n, err := strconv.Atoi(strings.Trim(string(row.Doc), `{"n:}`))
		if err != nil || n < acknowledged || n > acknowledged+1 {
			t.Errorf("%d is stored, acknowledged was %d: %v", n, acknowledged, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASecondWorkerIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	a, b := open(t, path), open(t, path)
	release, warning, err := a.Hold(t.Context())
	if err != nil || warning != "" {
		t.Fatal(warning, err)
	}
	var used *durability.InUseError
	if _, _, err := b.Hold(t.Context()); !errors.As(err, &used) || used.Store != path {
		t.Fatalf("%v, want one that names %s", err, path)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Hold(t.Context()); err != nil {
		t.Error("the hold outlives its release:", err)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	script := func(name, sql string) string {
		path := filepath.Join(dir, name)
		conn, err := zombiezen.OpenConn(path, zombiezen.OpenReadWrite, zombiezen.OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		garbage: "not a database",
		script("other.db", "CREATE TABLE t (x);"):                                          "another program",
		script("app.db", "PRAGMA application_id = 1;"):                                     "another program",
		script("later.db", "PRAGMA application_id = 1885957732; PRAGMA user_version = 2;"): "version 2",
		filepath.Join(dir, "nowhere", "x.db"):                                              "the folder isn't there",
		dir:                                                                                dir,
	} {
		s, err := sqlite.Open(path)
		if err == nil {
			t.Errorf("%s was opened: %v", path, s.Close())
			continue
		}
		if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %q and the path %s", err, want, path)
		}
	}
}

func TestCallersShareTransactions(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "rooms.db"))
	var wg sync.WaitGroup
	const callers, each = 64, 20
	for c := range callers {
		wg.Go(func() {
			k := durability.Key{Namespace: "/rooms", ID: strconv.Itoa(c)}
			for n := range each {
				if err := s.Apply(t.Context(), k, int64(n), put(n)); err != nil {
					t.Error(err)
				}
				if row, ok, err := s.Get(t.Context(), k, int64(n), tray); err != nil || !ok || string(row.Doc) != fmt.Sprintf(`{"n":%d}`, n) {
					t.Errorf("%s, %v, %v", row.Doc, ok, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestDueAlarmsComeInTheirOrder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "rooms.db"))
	for id, due := range map[string]string{"a": "3000", "b": "1000", "c": "2000", "d": `"soon"`, "e": "2000", "f": "1.5"} {
		if err := s.Put(t.Context(), durability.Key{Namespace: "/r", ID: id}, 0, durability.AlarmTray, durability.Row{Doc: []byte(`{"due":` + due + `}`)}); err != nil {
			t.Fatal(err)
		}
	}
	var order string
	for after := (durability.Due{}); ; {
		page, err := s.DueAlarms(t.Context(), time.UnixMilli(2500), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page {
			order += d.Key.ID
			after = d
		}
		if len(page) < 2 {
			break
		}
	}
	if order != "bce" {
		t.Error(order)
	}
}

func BenchmarkApply(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(strconv.Itoa(callers), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "rooms.db"))
			b.SetParallelism(callers)
			b.RunParallel(func(pb *testing.PB) {
				k := durability.Key{Namespace: "/rooms", ID: fmt.Sprintf("%p", pb)}
				for i := 0; pb.Next(); i++ {
					if err := s.Apply(context.Background(), k, 0, put(i)); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
