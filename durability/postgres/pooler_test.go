package postgres_test

import (
	"errors"
	"testing"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/storetest"
	"github.com/pinned-go/pinned/internal/testdb"
)

// TestContractThroughAPooler has PgBouncer give each transaction another session.
func TestContractThroughAPooler(t *testing.T) {
	t.Parallel()
	pooler := testdb.PgBouncer(t)
	storetest.Run(t, func(t testing.TB) func() durability.StateStore {
		url := pooler(testdb.Postgres(t))
		return func() durability.StateStore { return open(t, url) }
	})
}

func TestBehindAPoolerTheLastWorkerWrites(t *testing.T) {
	t.Parallel()
	url := testdb.PgBouncer(t)(testdb.Postgres(t))
	for range 3 { // what one leaves doesn't keep out the next
		s := open(t, url)
		release, warning, err := s.Hold(t.Context())
		if err != nil || warning == "" {
			t.Fatal(warning, err)
		}
		if err := errors.Join(s.Apply(t.Context(), key, 0, put(1)), release()); err != nil {
			t.Fatal(err)
		}
	}
	first, second := open(t, url), open(t, url)
	if _, _, err := first.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Apply(t.Context(), key, 0, put(2)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := second.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	var used *durability.InUseError
	for range 2 {
		if err := first.Apply(t.Context(), key, 0, put(3)); !errors.As(err, &used) {
			t.Errorf("%v, want a *durability.InUseError", err)
		}
	}
	if err := second.Apply(t.Context(), key, 0, put(4)); err != nil {
		t.Error(err)
	}
	want(t, second, 0, `{"n": 4}`)
}
