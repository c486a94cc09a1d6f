package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t testing.TB) func() durability.StateStore {
		path := filepath.Join(t.TempDir(), "rows.db")
		return func() durability.StateStore { return open(t, path) }
	})
}
