package testdb

import (
	"os"
	"testing"
)

// peerEnv names the interpreter of a virtual environment that has the Python package
// of the same system.
const peerEnv = "PINNED_TEST_PEER_PYTHON"

// PeerPython is the interpreter with which a test runs the Python package. A short run
// leaves the test out; any other without one fails.
func PeerPython(t testing.TB) string {
	t.Helper()
	python := os.Getenv(peerEnv)
	if python == "" {
		if testing.Short() {
			t.Skip("it needs the Python package")
		}
		t.Fatalf("%s isn't set: ./test makes a virtual environment and sets it; -short leaves such tests out", peerEnv)
	}
	return python
}
