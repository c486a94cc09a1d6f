//go:build race

package runtime_test

// raced says that the race detector is on.
const raced = true
