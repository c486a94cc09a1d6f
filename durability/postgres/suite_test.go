package postgres_test

import (
	"testing"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/durability/storetest"
	"github.com/pinned-go/pinned/internal/testdb"
)

func TestContract(t *testing.T) {
	for name, opts := range map[string][]postgres.Option{
		"plain": nil, "prepared statements": {postgres.WithPreparedStatements()},
		"settings": {postgres.WithConfigureTx(func(key durability.Key) []postgres.Setting {
			return []postgres.Setting{{Name: "app.tenant", Value: key.ID}}
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t testing.TB) func() durability.StateStore {
				url := testdb.Postgres(t)
				return func() durability.StateStore { return open(t, url, opts...) }
			})
		})
	}
}
