package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pinned-go/pinned/durability"
)

// hold is a worker's hold of the file: a lock of the operating system on a file beside it,
// which ends with the process.
type hold struct {
	release func() error
}

// Hold implements durability.Exclusive.
func (s *Store) Hold(ctx context.Context) (release func() error, warning string, err error) {
	end, err := s.use(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("store %s: hold: %w", s.path, err)
	}
	defer end()
	unlock, warning, err := lock(s.path + "-lock")
	if err != nil {
		if errors.Is(err, errTaken) {
			return nil, "", &durability.InUseError{Store: s.path, Err: err}
		}
		return nil, "", fmt.Errorf("store %s: hold: %w", s.path, err)
	}
	h := &hold{release: sync.OnceValue(unlock)}
	s.mu.Lock()
	s.hold = h
	s.mu.Unlock()
	return h.release, warning, nil
}

// errTaken says that somebody else has the lock.
var errTaken = errors.New("its lock is taken")

// PrivateRows implements durability.Private.
func (s *Store) PrivateRows() {}
