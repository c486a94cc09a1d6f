package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pinned-go/pinned/durability"
)

// Store is a store in PostgreSQL. It is a MultiBatcher, Sweepable and Exclusive.
type Store struct {
	options

	pool *pgxpool.Pool
	name string // of the database, without credentials

	mu     sync.Mutex
	closed bool
	users  sync.WaitGroup
	ready  bool   // the tables are there
	due    string // what tells when the earliest alarm of a row is
	hold   *hold
}

// New makes a store of the database that a URL, or a connection string, names. Nothing is
// dialled before the first operation, which makes the tables where they aren't there yet.
// An error names no password.
func New(url string, opts ...Option) (*Store, error) {
	s := &Store{options: defaults()}
	var errs []error
	for _, opt := range opts {
		errs = append(errs, opt(&s.options))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("postgres store: %w", err)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("postgres store: the URL of the database can't be read") // what can't may be a password
	}
	config.MaxConns = s.poolSize
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	if s.prepared {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	}
	config.ConnConfig.ConnectTimeout = s.deadline
	config.ConnConfig.DialFunc = dialer(s.deadline)
	if s.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, fmt.Errorf("postgres store: %w", err)
	}
	c := config.ConnConfig
	s.name = fmt.Sprintf("%s:%d/%s", c.Host, c.Port, c.Database)
	return s, nil
}

// Close waits for the operations that run, and closes the connections. What follows fails
// with durability.ErrClosed.
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
	if held != nil {
		_ = held.release() // it has no error
	}
	s.pool.Close()
	return nil
}

// use begins an operation, which end ends. Its context has the deadline of this side, and
// outlives the caller's: a write that was sent is waited for.
func (s *Store) use(ctx context.Context) (inner context.Context, end func(), err error) {
	held, err := s.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	if held != nil {
		waiting, stop := context.WithTimeout(ctx, s.deadline)
		err := held.wait(waiting)
		stop()
		if err != nil {
			s.users.Done()
			return nil, nil, err
		}
	}
	inner, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.deadline)
	return inner, func() {
		cancel()
		s.users.Done()
	}, nil
}

// enter counts an operation, and returns the hold that it needs.
func (s *Store) enter(ctx context.Context) (*hold, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, durability.ErrClosed
	}
	if err := durability.ContextError(ctx); err != nil {
		return nil, err
	}
	s.users.Add(1)
	return s.hold, nil
}

// setupLock is the advisory lock of the setup: two CREATE TABLE IF NOT EXISTS at once can
// fail.
const setupLock = 0x70696e6e6564

var setup = []string{
	`CREATE TABLE IF NOT EXISTS pinned_epoch (ns text NOT NULL, id text NOT NULL, epoch bigint NOT NULL, PRIMARY KEY (ns, id))`,
	`CREATE TABLE IF NOT EXISTS pinned_tray_index (
		ns text NOT NULL, id text NOT NULL, tray_ns text NOT NULL, tray_id text NOT NULL,
		marked boolean NOT NULL, doc jsonb NOT NULL,
		env text NOT NULL DEFAULT '*', hostname text NOT NULL DEFAULT '*',
		due numeric GENERATED ALWAYS AS (` + dueOf + `) STORED,
		PRIMARY KEY (ns, id, tray_ns, tray_id))`,
	`CREATE INDEX IF NOT EXISTS pinned_tray_bytewise ON pinned_tray_index (ns, id, tray_ns COLLATE "C", tray_id COLLATE "C")`,
	`CREATE INDEX IF NOT EXISTS pinned_tray_marked ON pinned_tray_index
		(ns COLLATE "C", id COLLATE "C", tray_ns COLLATE "C", tray_id COLLATE "C") WHERE marked`,
}

// dueOf is when the earliest alarm of a row is, or null where the row has another shape. An
// index over it would be one over doc: no change of a document could stay within its page
// then, and each would be written to all indexes. So there is a column of its own.
const dueOf = `(CASE WHEN jsonb_typeof(doc->'due') = 'number' THEN (doc->>'due')::numeric END)`

// The index of due alarms. A table that the Python packages have set up has no such column,
// and isn't rewritten for one: there the alarm rows are found by themselves.
const (
	hasDue     = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'pinned_tray_index'::regclass AND attname = 'due' AND NOT attisdropped)"
	dueIndex   = `CREATE INDEX IF NOT EXISTS pinned_alarm_due ON pinned_tray_index (due, ns COLLATE "C", id COLLATE "C") WHERE tray_ns = 'pinned' AND tray_id = 'alarm'`
	alarmIndex = `CREATE INDEX IF NOT EXISTS pinned_alarm ON pinned_tray_index (ns COLLATE "C", id COLLATE "C") WHERE tray_ns = 'pinned' AND tray_id = 'alarm'`
)

// prepare makes the tables and indexes, once. A role that may not works with tables that
// are there.
func (s *Store) prepare(ctx context.Context) error {
	s.mu.Lock()
	ready := s.ready
	s.mu.Unlock()
	if ready {
		return nil
	}
	var column bool
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(setupLock)); err != nil {
			return err
		}
		for _, statement := range setup {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		if err := tx.QueryRow(ctx, hasDue).Scan(&column); err != nil {
			return err
		}
		index := alarmIndex
		if column {
			index = dueIndex
		}
		_, err := tx.Exec(ctx, index)
		return err
	})
	if denied(err) {
		var there bool
		if s.pool.QueryRow(ctx, "SELECT to_regclass('pinned_epoch') IS NOT NULL AND to_regclass('pinned_tray_index') IS NOT NULL").
			Scan(&there) == nil && there {
			err = s.pool.QueryRow(ctx, hasDue).Scan(&column)
		}
	}
	if err != nil {
		return fmt.Errorf("set up the tables: %w", s.clean(err))
	}
	s.mu.Lock()
	s.ready, s.due = true, dueOf
	if column {
		s.due = "due"
	}
	s.mu.Unlock()
	return nil
}

// dueExpression is what tells when the earliest alarm of a row is, once prepare is done.
func (s *Store) dueExpression() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.due
}

// denied reports whether the role may not do that.
func denied(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "42501" || e.Code == "25006")
}

// clean is an error without what a connection was dialled with.
func (s *Store) clean(err error) error {
	if e, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		text := e.Unwrap().Error()
		if password := s.pool.Config().ConnConfig.Password; password != "" {
			text = strings.ReplaceAll(text, password, "***")
		}
		return errors.New("connect: " + text)
	}
	return err
}

// failed wraps an error of an operation on an instance.
func (s *Store) failed(op string, key durability.Key, err error) error {
	return fmt.Errorf("store %s: %s %s: %w", s.name, op, key, s.clean(err))
}

// Settings are those of an instance's transactions, in one text.
func (s *Store) Settings(key durability.Key) string {
	if s.configure == nil {
		return ""
	}
	var b strings.Builder
	for _, setting := range s.configure(key) {
		fmt.Fprintf(&b, "%q=%q;", setting.Name, setting.Value)
	}
	return b.String()
}

// begin is the beginning of a pipeline for an instance: what its transaction runs with.
// One round trip carries all of a pipeline, and it is one transaction.
func (s *Store) begin(key durability.Key) *pgx.Batch {
	b := &pgx.Batch{}
	ms := fmt.Sprint(s.timeout.Milliseconds())
	b.Queue("SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true)", ms)
	if s.configure != nil {
		for _, setting := range s.configure(key) {
			b.Queue("SELECT set_config($1, $2, true)", setting.Name, setting.Value)
		}
	}
	return b
}

// beginWrite is the beginning of a pipeline that writes: a hold waits until it is through.
func (s *Store) beginWrite(key durability.Key) *pgx.Batch {
	b := s.begin(key)
	b.Queue("SELECT pg_advisory_xact_lock_shared(hashtext('pinned holder'), hashtext(current_schema()))")
	return b
}
