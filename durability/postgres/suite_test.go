package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

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

// TestContractOnTablesOfThePeer has tables as the Python packages set them up.
func TestContractOnTablesOfThePeer(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) func() durability.StateStore {
		url := testdb.Postgres(t)
		testdb.Exec(t, url, `CREATE TABLE pinned_epoch (ns TEXT NOT NULL, id TEXT NOT NULL, epoch BIGINT NOT NULL, PRIMARY KEY (ns, id))`,
			`CREATE TABLE pinned_tray_index (ns TEXT NOT NULL, id TEXT NOT NULL, tray_ns TEXT NOT NULL, tray_id TEXT NOT NULL,
				marked BOOLEAN NOT NULL, doc JSONB NOT NULL, env TEXT NOT NULL DEFAULT '*', hostname TEXT NOT NULL DEFAULT '*',
				PRIMARY KEY (ns, id, tray_ns, tray_id))`)
		return func() durability.StateStore { return open(t, url) }
	})
}

// TestChangesOfADocumentStayWithinTheirPage holds the indexes against what a busy object
// does all the time: an update that no index must learn of is a fraction of the work.
func TestChangesOfADocumentStayWithinTheirPage(t *testing.T) {
	t.Parallel()
	url := testdb.Postgres(t)
	s := open(t, url)
	const writes = 200
	for n := range writes {
		if err := s.Apply(t.Context(), key, 0, put(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil { // a session tells its numbers at its end
		t.Fatal(err)
	}
	eventually(t, func() error {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.Background()) }()
		var updates, hot int
		err = conn.QueryRow(t.Context(), "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'pinned_tray_index'").Scan(&updates, &hot)
		if err == nil && (updates < writes-1 || hot < updates*9/10) {
			err = fmt.Errorf("of %d updates %d stayed within their page", updates, hot)
		}
		return err
	})
}
