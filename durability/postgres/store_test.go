package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/internal/testdb"
)

var (
	key  = durability.Key{Namespace: "/rooms", ID: "lobby"}
	tray = durability.Tray{Namespace: "pinned", ID: "object"}
)

func open(t testing.TB, url string, opts ...postgres.Option) *postgres.Store {
	t.Helper()
	s, err := postgres.New(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(n int) []durability.Op {
	return []durability.Op{durability.Put{Tray: tray, Row: durability.Row{Doc: fmt.Appendf(nil, `{"n": %d}`, n)}}}
}

func want(t *testing.T, s *postgres.Store, epoch int64, doc string) {
	t.Helper()
	row, ok, err := s.Get(t.Context(), key, epoch, tray)
	if err != nil || ok != (doc != "") || string(row.Doc) != doc {
		t.Errorf("%s, %v, %v, want %s", row.Doc, ok, err, doc)
	}
}

func TestWritesAndReadsAreFenced(t *testing.T) {
	s := open(t, testdb.Postgres(t))
	want(t, s, 0, "")
	if err := s.Apply(t.Context(), key, 3, put(1)); err != nil {
		t.Fatal(err)
	}
	want(t, s, 3, `{"n": 1}`)
	var lost *durability.FenceLost
	for name, err := range map[string]error{
		"apply": s.Apply(t.Context(), key, 2, put(2)),
		"all":   s.ApplyAll(t.Context(), []durability.Batch{{Key: key, Epoch: 2, Ops: put(2)}})[0],
		"adopt": s.Adopt(t.Context(), key, 2, 9),
		"get":   func() error { _, _, err := s.Get(t.Context(), key, 2, tray); return err }(),
		"list":  func() error { _, err := s.List(t.Context(), key, 0, durability.Filter{}); return err }(),
	} {
		if !errors.As(err, &lost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	want(t, s, 5, `{"n": 1}`) // and advances
	if err := s.Apply(t.Context(), key, 4, put(2)); !errors.As(err, &lost) || lost.Stored != 5 {
		t.Error(err)
	}
	if err := s.Adopt(t.Context(), key, 5, 7); err != nil {
		t.Error(err)
	}
	if epoch, err := s.StoredEpoch(t.Context(), key); epoch != 7 || err != nil {
		t.Error(epoch, err)
	}
}

func TestOneOfManyLosesItsFenceAlone(t *testing.T) {
	s := open(t, testdb.Postgres(t))
	batches := make([]durability.Batch, 64)
	for i := range batches {
		k := durability.Key{Namespace: "/rooms", ID: strconv.Itoa(i)}
		if _, err := s.List(t.Context(), k, 1, durability.Filter{}); err != nil {
			t.Fatal(err)
		}
		batches[i] = durability.Batch{Key: k, Epoch: 1, Ops: append(put(i), durability.Delete{Tray: durability.Tray{Namespace: "x", ID: "~"}})}
	}
	batches[7].Epoch = 0
	batches[9].Key.ID = "never acquired"
	for i, err := range s.ApplyAll(t.Context(), batches) {
		var lost *durability.FenceLost
		switch {
		case i == 7 && !errors.As(err, &lost), i == 9 && !errors.Is(err, durability.ErrLocked), i != 7 && i != 9 && err != nil:
			t.Errorf("%d: %v", i, err)
		}
	}
	for i, b := range batches {
		_, ok, err := s.Get(t.Context(), b.Key, 1, tray)
		if err != nil || ok == (i == 7 || i == 9) {
			t.Errorf("%d: %v, %v", i, ok, err)
		}
	}
}

func TestALockedInstanceIsSkippedAndThenWaitedFor(t *testing.T) {
	db := testdb.Postgres(t)
	s := open(t, db)
	if err := s.Apply(t.Context(), key, 0, put(1)); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT epoch FROM pinned_epoch FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	b := []durability.Batch{{Key: key, Ops: put(2)}}
	if err := s.ApplyAll(t.Context(), b)[0]; !errors.Is(err, durability.ErrLocked) {
		t.Error(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Apply(context.Background(), key, 0, put(3)) }()
	select {
	case err := <-done:
		t.Error("it didn't wait:", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	want(t, s, 0, `{"n": 3}`)
}

func TestALockIsNotWaitedForForEver(t *testing.T) {
	db := testdb.Postgres(t)
	s := open(t, db, postgres.WithTimeouts(100*time.Millisecond, time.Minute))
	if err := s.Apply(t.Context(), key, 0, put(1)); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), "BEGIN; SELECT epoch FROM pinned_epoch FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	var unknown *durability.UnknownError
	if err := s.Apply(t.Context(), key, 0, put(2)); err == nil || errors.As(err, &unknown) || !strings.Contains(err.Error(), "timeout") {
		t.Error(err)
	}
	want(t, s, 0, `{"n": 1}`)
}

func TestDocumentsThatPostgresCantHoldAreRejected(t *testing.T) {
	s := open(t, testdb.Postgres(t))
	other := durability.Key{Namespace: "/rooms", ID: "other"}
	for _, k := range []durability.Key{key, other} {
		if _, err := s.List(t.Context(), k, 0, durability.Filter{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, doc := range []string{`{"a":"\u0000"}`, `{"a":1e400000}`, `{"a":"\ud800"}`} {
		row := durability.Row{Doc: []byte(doc)}
		var rejected *durability.RejectedError
		if err := s.Put(t.Context(), key, 0, tray, row); !errors.As(err, &rejected) {
			t.Errorf("%s: %v", doc, err)
		}
		errs := s.ApplyAll(t.Context(), []durability.Batch{{Key: key, Ops: []durability.Op{durability.Put{Tray: tray, Row: row}}}, {Key: other, Ops: put(1)}})
		for i, err := range errs {
			if err == nil {
				t.Errorf("%s: %d was applied", doc, i)
			}
		}
	}
	var rejected *durability.RejectedError
	if err := s.ApplyAll(t.Context(), []durability.Batch{{Key: key, Ops: []durability.Op{durability.Put{Tray: tray, Row: durability.Row{Doc: []byte(`{"a":"\u0000"}`)}}}}})[0]; !errors.As(err, &rejected) {
		t.Errorf("alone in a statement of several: %v", err)
	}
	want(t, s, 0, "")
	if err := s.Put(t.Context(), key, 0, tray, durability.Row{Doc: []byte(`{"a":"\\u0000"}`)}); err != nil {
		t.Error("a backslash before u0000 was refused:", err)
	}
}

func TestRowsAreOrderedBytewise(t *testing.T) {
	s := open(t, testdb.Postgres(t))
	ids := []string{"B", "a", "b", "b%", "b_", "ba", "é", "\U0001f600"}
	for _, id := range ids {
		if err := s.Put(t.Context(), key, 0, durability.Tray{Namespace: "m", ID: id}, durability.Row{Doc: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		f    durability.Filter
		want string
	}{
		{durability.Filter{}, "B a b b% b_ ba é \U0001f600"},
		{durability.Filter{Prefix: "b"}, "b b% b_ ba"},
		{durability.Filter{Prefix: "b%"}, "b%"},
		{durability.Filter{After: "b", Limit: 2}, "b% b_"},
		{durability.Filter{Prefix: "\U0001f600"}, "\U0001f600"},
		{durability.Filter{Namespaces: []string{}}, ""},
	} {
		entries, err := s.List(t.Context(), key, 0, test.f)
		var got []string
		for _, e := range entries {
			got = append(got, e.Tray.ID)
		}
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v, %v, want %s", test.f, got, err, test.want)
		}
	}
}

func TestManyWorkersSetUpAtOnce(t *testing.T) {
	db := testdb.Postgres(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := postgres.New(db)
			if err == nil {
				err = errors.Join(s.Apply(t.Context(), key, 0, put(1)), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestARoleWithoutRightsToCreateWorks(t *testing.T) {
	db := testdb.Postgres(t)
	s := open(t, db)
	role := "plain_" + strings.ToLower(strconv.FormatInt(time.Now().UnixNano(), 36))
	u, err := url.Parse(db)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(role)
	testdb.Exec(t, db, "CREATE ROLE "+role+" LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	t.Cleanup(func() { testdb.Exec(t, db, "DROP OWNED BY "+role, "DROP ROLE "+role) })
	plain := open(t, u.String())
	if err := plain.Apply(t.Context(), key, 0, put(1)); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Error(err)
	}
	if err := s.Apply(t.Context(), key, 0, put(1)); err != nil {
		t.Fatal(err)
	}
	testdb.Exec(t, db, "GRANT SELECT, INSERT, UPDATE, DELETE ON pinned_epoch, pinned_tray_index TO "+role)
	if err := plain.Apply(t.Context(), key, 0, put(2)); err != nil {
		t.Error(err)
	}
	want(t, plain, 0, `{"n": 2}`)
}

func TestASecondWorkerIsRefused(t *testing.T) {
	db := testdb.Postgres(t)
	a, b := open(t, db), open(t, db)
	release, warning, err := a.Hold(t.Context())
	if err != nil || warning != "" {
		t.Fatal(warning, err)
	}
	var used *durability.InUseError
	if _, _, err := b.Hold(t.Context()); !errors.As(err, &used) {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for range 100 { // the server ends the session by and by
		if _, _, err = b.Hold(t.Context()); err == nil {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Error("the hold outlives its release:", err)
}

func TestAKilledConnectionIsReplaced(t *testing.T) {
	db := testdb.Postgres(t)
	s := open(t, db)
	for n := range 20 {
		if err := s.Apply(t.Context(), key, 0, put(n)); err != nil {
			t.Fatal(err)
		}
		testdb.Exec(t, db, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if err := s.Apply(t.Context(), key, 0, put(n)); err != nil {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func TestTransactionsRunWithTheirSettings(t *testing.T) {
	db := testdb.Postgres(t)
	tenant := func(key durability.Key) []postgres.Setting {
		return []postgres.Setting{{Name: "app.tenant", Value: key.ID}}
	}
	s := open(t, db, postgres.WithConfigureTx(tenant))
	if err := s.Apply(t.Context(), key, 0, put(1)); err != nil {
		t.Fatal(err)
	}
	testdb.Exec(t, db, `CREATE FUNCTION check_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN IF current_setting('app.tenant') <> NEW.id THEN RAISE 'another tenant'; END IF; RETURN NEW; END $$`,
		`CREATE TRIGGER tenant BEFORE INSERT OR UPDATE ON pinned_tray_index FOR EACH ROW EXECUTE FUNCTION check_tenant()`)
	if err := s.Apply(t.Context(), key, 0, put(2)); err != nil {
		t.Error(err)
	}
	if a, b := s.Settings(key), s.Settings(durability.Key{ID: "other"}); a == b || a == "" {
		t.Error(a, b)
	}
	if err := open(t, db).Apply(t.Context(), key, 0, put(3)); err == nil {
		t.Error("a transaction without settings was let pass")
	}
}

func TestNoErrorTellsThePassword(t *testing.T) {
	for _, u := range []string{"postgres://me:s3cret@127.0.0.1:1/db", "postgres://me:s3cret@[bad/db", "host=127.0.0.1 port=1 user=me password=s3cret"} {
		s, err := postgres.New(u)
		if err == nil {
			err = s.Apply(t.Context(), key, 0, put(1))
			_ = s.Close()
		}
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v", err)
		}
	}
}

func TestDueAlarmsComeInTheirOrder(t *testing.T) {
	s := open(t, testdb.Postgres(t))
	for id, due := range map[string]string{"a": "3000", "b": "1000", "c": "2000", "d": `"soon"`, "e": "2000", "f": "1.5", "g": "1e30"} {
		if err := s.Put(t.Context(), durability.Key{Namespace: "/r", ID: id}, 0, durability.AlarmTray, durability.Row{Doc: []byte(`{"due":` + due + `}`)}); err != nil {
			t.Fatal(err)
		}
	}
	var order string
	for after := (durability.Due{}); ; {
		page, err := s.DueAlarms(t.Context(), time.UnixMilli(2500), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page {
			order += d.Key.ID
			after = d
		}
		if len(page) < 2 {
			break
		}
	}
	if order != "bce" {
		t.Error(order)
	}
}

func TestMarkedRowsComeInPages(t *testing.T) {
	s := open(t, testdb.Postgres(t))
	for _, id := range []string{"b", "B", "a"} {
		for _, ns := range []string{"work", "mail"} {
			if err := s.Put(t.Context(), durability.Key{Namespace: "/r", ID: id}, 0, durability.Tray{Namespace: ns, ID: "~"},
				durability.Row{Marked: id != "a" || ns == "work", Doc: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var order string
	for after := (durability.Place{}); ; {
		page, err := s.MarkedRows(t.Context(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page {
			order += m.Key.ID + m.Tray.Namespace[:1]
			after = m.Place
		}
		if len(page) < 2 {
			break
		}
	}
	if order != "BmBwawbmbw" {
		t.Error(order)
	}
}

func BenchmarkApplyAll(b *testing.B) {
	for _, n := range []int{1, 64} {
		for name, opts := range map[string][]postgres.Option{"plain": nil, "prepared": {postgres.WithPreparedStatements()}} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				s := open(b, testdb.Postgres(b), opts...)
				batches := make([]durability.Batch, n)
				for i := range batches {
					k := durability.Key{Namespace: "/rooms", ID: strconv.Itoa(i)}
					if _, err := s.List(b.Context(), k, 0, durability.Filter{}); err != nil {
						b.Fatal(err)
					}
					batches[i] = durability.Batch{Key: k, Ops: put(i)}
				}
				for b.Loop() {
					for _, err := range s.ApplyAll(b.Context(), batches) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
