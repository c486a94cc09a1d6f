package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pinned-go/pinned/durability"
)

// The file says that it is ours, and of which schema.
const (
	applicationID = 0x70696e64 // "pind"
	schemaVersion = 1
)

// readers is how many reads run at once.
const readers = 4

const setup = `
CREATE TABLE IF NOT EXISTS pinned_epoch (
	ns TEXT NOT NULL, id TEXT NOT NULL, epoch INTEGER NOT NULL,
	PRIMARY KEY (ns, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pinned_tray_index (
	ns TEXT NOT NULL, id TEXT NOT NULL, tray_ns TEXT NOT NULL, tray_id TEXT NOT NULL,
	marked INTEGER NOT NULL, doc TEXT NOT NULL,
	env TEXT NOT NULL DEFAULT '*', hostname TEXT NOT NULL DEFAULT '*',
	PRIMARY KEY (ns, id, tray_ns, tray_id)
);
CREATE INDEX IF NOT EXISTS pinned_marked ON pinned_tray_index (ns, id, tray_ns, tray_id) WHERE marked;
CREATE INDEX IF NOT EXISTS pinned_due ON pinned_tray_index (json_extract(doc, '$.due'), ns, id)
	WHERE tray_ns = 'pinned' AND tray_id = 'alarm' AND json_type(doc, '$.due') = 'integer';
`

// Store is a store in one file. It is a MultiBatcher, Sweepable and Exclusive. Batches
// that come at the same time share a transaction.
type Store struct {
	path string

	mu     sync.Mutex
	closed bool
	users  sync.WaitGroup // operations that run
	queue  []*job         // what the next transaction takes
	leads  bool           // somebody carries out what is queued
	hold   *hold

	writer  *sqlite.Conn // of who leads
	readers chan *sqlite.Conn
}

// Open opens the store in a file, which is made if it isn't there; its folder must be.
// Another program's database, and one of a later version of this package, is refused.
func Open(path string) (*Store, error) {
	s := &Store{path: path, readers: make(chan *sqlite.Conn, readers)}
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), s.closeConns())
	}
	return s, nil
}

func (s *Store) open() (err error) {
	if s.path == "" || s.path == ":memory:" {
		return errors.New("a store needs a file; durability.NewMemory is one without")
	}
	if _, err := os.Stat(filepath.Dir(s.path)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder isn't there: %w", err)
	}
	if s.writer, err = connect(s.path); err != nil {
		return err
	}
	if _, err := ours(s.writer); err != nil {
		return err
	}
	if err := writeAhead(s.writer); err != nil {
		return err
	}
	if err := prepare(s.writer); err != nil {
		return err
	}
	for range readers {
		conn, err := connect(s.path)
		if err != nil {
			return err
		}
		s.readers <- conn
	}
	return nil
}

// connect opens a connection. A lock that somebody else holds is waited for, 5 s at most.
func connect(path string) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{
		"PRAGMA busy_timeout = 5000", "PRAGMA synchronous = FULL", "PRAGMA cache_size = -8000", "PRAGMA temp_store = MEMORY",
		"PRAGMA fullfsync = 1", "PRAGMA checkpoint_fullfsync = 1", // on macOS, fsync alone doesn't reach the disk
		"PRAGMA journal_size_limit = 67108864",
	} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}

// pragma reads a setting of the file.
func pragma(conn *sqlite.Conn, query string) (value string, err error) {
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		value = row.ColumnText(0)
		return nil
	}})
	return value, err
}

// writeAhead has the file keep its log ahead of its pages. The file remembers that.
func writeAhead(conn *sqlite.Conn) error {
	mode, err := pragma(conn, "PRAGMA journal_mode = WAL")
	if err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file can't have a write-ahead log, its journal mode is %s", mode)
	}
	return nil
}

// ours fails for the file of another program, or of a later version, and reports whether
// its tables are there. It changes nothing.
func ours(conn *sqlite.Conn) (bool, error) {
	app, err := pragma(conn, "PRAGMA application_id")
	if err != nil {
		return false, err
	}
	version, err := pragma(conn, "PRAGMA user_version")
	if err != nil {
		return false, err
	}
	tables, err := pragma(conn, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return false, err
	}
	switch n, _ := strconv.Atoi(version); {
	case app == strconv.Itoa(applicationID) && n > schemaVersion:
		return false, fmt.Errorf("the file is of version %d, and this program knows version %d", n, schemaVersion)
	case app == strconv.Itoa(applicationID):
		return true, nil
	case app != "0" || tables != "0":
		return false, errors.New("the file is the database of another program")
	}
	return false, nil
}

// prepare makes the tables, unless they are there.
func prepare(conn *sqlite.Conn) (err error) {
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	there, err := ours(conn)
	if err != nil || there {
		return err
	}
	if err := sqlitex.ExecuteScript(conn, setup, nil); err != nil {
		return err
	}
	for _, pragma := range []string{
		fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", schemaVersion),
	} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return err
		}
	}
	return nil
}

// Close waits for the operations that run, and closes the file. What follows fails with
// durability.ErrClosed.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.users.Wait()
	s.mu.Lock()
	held := s.hold
	s.mu.Unlock()
	err := s.closeConns()
	if held != nil {
		err = errors.Join(err, held.release())
	}
	if err != nil {
		return fmt.Errorf("close store %s: %w", s.path, err)
	}
	return nil
}

func (s *Store) closeConns() error {
	var errs []error
	close(s.readers)
	for conn := range s.readers {
		errs = append(errs, conn.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	return errors.Join(errs...)
}

// use begins an operation, which end ends.
func (s *Store) use(ctx context.Context) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, durability.ErrClosed
	}
	if err := durability.ContextError(ctx); err != nil {
		return nil, err
	}
	s.users.Add(1)
	return s.users.Done, nil
}

// failed wraps an error of an operation on an instance.
func (s *Store) failed(op string, key durability.Key, err error) error {
	return fmt.Errorf("store %s: %s %s: %w", s.path, op, key, err)
}
