package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	store "github.com/pinned-go/pinned/durability/sqlite"

	"github.com/pinned-go/pinned/bench/notes"
	"github.com/pinned-go/pinned/runtime"
)

// durableContests have clients in this process write, each time another document, to
// objects in an SQLite file that is synced at each commit, against one transaction for
// each request on such a file.
func durableContests() []contest {
	var all []contest
	for _, c := range []struct{ ids, clients int }{{1, 64}, {1_000, 256}} {
		all = append(all, contest{
			name:    fmt.Sprintf("durable/sqlite/%s/%s", plural(c.ids, "id"), plural(c.clients, "client")),
			against: "transactions", unit: "writes/s", target: 10,
			open: func(ctx context.Context, s *stage) (measure, measure, error) {
				mine, err := s.notes(ctx, c.ids, c.clients)
				if err != nil {
					return nil, nil, err
				}
				theirs, err := s.transactions(c.ids, c.clients)
				return mine, theirs, err
			},
		})
	}
	return all
}

// hammer has clients call f, with a number that none has had, for a window, and tells how
// many calls a second there were.
func hammer(ctx context.Context, window time.Duration, clients int, f func(ctx context.Context, n int) error) (float64, error) {
	var (
		wg     sync.WaitGroup
		next   atomic.Int64
		calls  atomic.Int64
		faults = make([]error, clients)
		began  = time.Now()
	)
	for c := range clients {
		wg.Go(func() {
			for time.Since(began) < window && faults[c] == nil {
				faults[c] = f(ctx, int(next.Add(1)))
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(calls.Load()) / time.Since(began).Seconds(), errors.Join(faults...)
}

// notes measures our writes.
func (s *stage) notes(ctx context.Context, ids, clients int) (measure, error) {
	dir, err := s.tempDir()
	if err != nil {
		return nil, err
	}
	file, err := store.Open(filepath.Join(dir, "notes.db"))
	if err != nil {
		return nil, err
	}
	worker, err := runtime.NewWorker(runtime.WithStore(file), runtime.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	notes.Register(worker)
	if err := worker.Start(ctx); err != nil {
		return nil, err
	}
	s.atEnd(func() {
		_ = worker.Shutdown(context.Background())
		_ = file.Close()
	})
	client := notes.InProcess(worker)
	all := make([]notes.NoteCalls, ids)
	for i := range all {
		all[i] = client.Note(strconv.Itoa(i))
		if err := all[i].Set(ctx, notes.Text{Text: "first"}); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (float64, error) {
		return hammer(ctx, s.pace.window, clients, func(ctx context.Context, n int) error {
			return all[n%ids].Set(ctx, notes.Text{Text: strconv.Itoa(n)})
		})
	}, nil
}

// transactions measures one transaction for each request, on a connection that all share.
func (s *stage) transactions(ids, clients int) (measure, error) {
	dir, err := s.tempDir()
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, "plain.db"), sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	s.atEnd(func() { _ = conn.Close() })
	for _, statement := range []string{
		"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE notes (id TEXT PRIMARY KEY, doc TEXT NOT NULL) WITHOUT ROWID",
	} {
		if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
			return nil, err
		}
	}
	var mu sync.Mutex
	return func(ctx context.Context) (float64, error) {
		return hammer(ctx, s.pace.window, clients, func(_ context.Context, n int) error {
			mu.Lock()
			defer mu.Unlock()
			return sqlitex.Execute(conn, "INSERT INTO notes (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc",
				&sqlitex.ExecOptions{Args: []any{strconv.Itoa(n % ids), fmt.Sprintf(`{"text":"%d"}`, n)}})
		})
	}, nil
}
