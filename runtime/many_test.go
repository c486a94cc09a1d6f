package runtime_test

import (
	"syscall"
	"testing"
)

// many is how many connections a test opens, with both ends in this process: as many as
// it wants, or as its limit of files and the race detector's of goroutines allow.
func many(t *testing.T, want int) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur < limit.Max {
		raised := syscall.Rlimit{Cur: limit.Max, Max: limit.Max}
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised) == nil {
			limit = raised
		}
	}
	const spare = 500 // files that others have open
	n := min(want, int(min(limit.Cur, 1<<20)-spare)/2)
	if raced {
		n = min(n, 5_000) // of 8,128 goroutines
	}
	if n < want {
		t.Logf("%d connections instead of %d: this process is allowed %d files, race detector %v", n, want, limit.Cur, raced)
	}
	return n
}
