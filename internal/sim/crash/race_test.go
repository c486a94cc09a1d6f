//go:build race

package crash

// raced says that the race detector is on, which makes a sweep ten times slower, and
// has nothing to find: a run is one goroutine. ./test sweeps without it.
const raced = true
