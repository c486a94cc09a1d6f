package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rows are those of one lane: "tray_ns/tray_id" to the document, with a "!" in front of
// that of a marked row.
type rows map[string]string

// database reads and seeds the rows, without a fence.
type database struct{ *pgxpool.Pool }

func openDatabase(t *testing.T, url string) database {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return database{pool}
}

// all are the rows of all lanes, by id.
func (d database) all(ctx context.Context) (map[string]rows, error) {
	found, err := d.Query(ctx, `SELECT id, tray_ns, tray_id, marked, doc::text FROM pinned_tray_index WHERE ns = '/lanes'`)
	if err != nil {
		return nil, err
	}
	all := map[string]rows{}
	var id, ns, tray, doc string
	var marked bool
	_, err = pgx.ForEachRow(found, []any{&id, &ns, &tray, &marked, &doc}, func() error {
		if all[id] == nil {
			all[id] = rows{}
		}
		if marked {
			doc = "!" + doc
		}
		all[id][ns+"/"+tray] = doc
		return nil
	})
	return all, err
}

func (d database) seed(t *testing.T, id string, seeds rows) {
	t.Helper()
	for name, doc := range seeds {
		ns, tray, _ := strings.Cut(name, "/")
		doc, marked := strings.CutPrefix(doc, "!")
		_, err := d.Exec(t.Context(), `INSERT INTO pinned_tray_index (ns, id, tray_ns, tray_id, marked, doc)
			VALUES ('/lanes', $1, $2, $3, $4, $5::jsonb)`, id, ns, tray, marked, doc)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// text is the rows in an order, decoded. A name with an empty document is no row.
func (r rows) text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r)) {
		doc, marked := strings.CutPrefix(r[name], "!")
		switch {
		case doc == "":
		case marked:
			fmt.Fprintf(&b, "\n\t%s marked %s", name, decoded(doc))
		default:
			fmt.Fprintf(&b, "\n\t%s %s", name, decoded(doc))
		}
	}
	return b.String()
}

// with are the rows with others over them.
func (r rows) with(over rows) rows {
	all := maps.Clone(r)
	maps.Copy(all, over)
	return all
}

// decoded is a JSON text that two spellings of one value share.
func decoded(doc string) string {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Sprintf("%q: %v", doc, err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(exact(v)); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// exact has each number written as a fraction.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return "number " + r.RatString()
		}
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = exact(v[name])
		}
	}
	return v
}
