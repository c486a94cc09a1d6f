//go:build !race

package crash

// raced says that the race detector is on.
const raced = false
