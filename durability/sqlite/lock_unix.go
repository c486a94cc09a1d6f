//go:build unix

package sqlite

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of a file, which it makes. Two opens of one process exclude each
// other too.
func lock(path string) (unlock func() error, warning string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the path is that of the store
	if err != nil {
		return nil, "", err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errTaken
		}
		return nil, "", errors.Join(err, f.Close())
	}
	return f.Close, "", nil
}
