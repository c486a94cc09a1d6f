package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pinned-go/pinned/durability"
)

// Hold implements durability.Exclusive, by an advisory lock of a session of its own, which
// ends with the process.
func (s *Store) Hold(ctx context.Context) (release func() error, warning string, err error) {
	inner, end, err := s.use(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("store %s: hold: %w", s.name, err)
	}
	defer end()
	failed := func(err error) (func() error, string, error) {
		return nil, "", fmt.Errorf("store %s: hold: %w", s.name, s.clean(err))
	}
	pooled, err := s.pool.Acquire(inner)
	if err != nil {
		return failed(err)
	}
	conn := pooled.Hijack()
	var taken bool
	var pid, later int
	err = conn.QueryRow(inner, "SELECT pg_try_advisory_lock(hashtext('pinned local mode'), hashtext(current_schema())), pg_backend_pid()").Scan(&taken, &pid)
	if err == nil {
		err = conn.QueryRow(inner, "SELECT pg_backend_pid()").Scan(&later)
	}
	if err != nil || !taken {
		closed := conn.Close(inner)
		if err != nil {
			return failed(errors.Join(err, closed))
		}
		return nil, "", &durability.InUseError{Store: s.name, Err: errors.New("its advisory lock is taken")}
	}
	if pid != later {
		warning = "a pooler gives each transaction another session of the server, so that a second worker can't be kept out"
	}
	release = sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), s.deadline)
		defer cancel()
		return conn.Close(ctx)
	})
	s.mu.Lock()
	s.hold = release
	s.mu.Unlock()
	return release, warning, nil
}
