// Command plain is the other side of the durable benchmarks over HTTP: a handler that
// writes each request's document to PostgreSQL by itself, behind the same fence and over as
// many connections as ours has. With -statement it sends one fenced statement, and without
// a transaction that locks the epoch, checks it and writes. It prints its URL, and ends
// when its standard input does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	url := flag.String("postgres", "", "the database")
	statement := flag.Bool("statement", false, "one statement for a request")
	flag.Parse()
	if err := run(*url, *statement); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}

const (
	lock   = "SELECT epoch FROM plain_epoch WHERE ns = $1 AND id = $2 FOR UPDATE"
	upsert = `INSERT INTO plain_rows (ns, id, tray_ns, tray_id, marked, doc) VALUES ($1, $2, 'pinned', 'object', false, $3::text::jsonb)
ON CONFLICT (ns, id, tray_ns, tray_id) DO UPDATE SET marked = excluded.marked, doc = excluded.doc`
	fenced = `WITH fence AS (SELECT ns, id FROM plain_epoch WHERE ns = $1 AND id = $2 AND epoch <= $4 FOR UPDATE)
INSERT INTO plain_rows (ns, id, tray_ns, tray_id, marked, doc) SELECT ns, id, 'pinned', 'object', false, $3::text::jsonb FROM fence
ON CONFLICT (ns, id, tray_ns, tray_id) DO UPDATE SET marked = excluded.marked, doc = excluded.doc`
)

func run(url string, statement bool) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	config.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	http.HandleFunc("POST /pages/{id}/text", func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Text string `json:"text"`
		}
		err := json.NewDecoder(r.Body).Decode(&req)
		if err == nil {
			doc, _ := json.Marshal(req)
			if statement {
				err = one(r.Context(), pool, r.PathValue("id"), string(doc))
			} else {
				err = transaction(r.Context(), pool, r.PathValue("id"), string(doc))
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]bool{"ok": true})
	})
	var listen net.ListenConfig
	ln, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", ln.Addr())
	return http.Serve(ln, nil) //nolint:gosec // on loopback, for the benchmark alone
}

var errFenced = errors.New("the fence is lost")

func transaction(ctx context.Context, pool *pgxpool.Pool, id, doc string) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var epoch int64
		if err := tx.QueryRow(ctx, lock, "/pages", id).Scan(&epoch); err != nil {
			return err
		}
		if epoch > 0 {
			return errFenced
		}
		_, err := tx.Exec(ctx, upsert, "/pages", id, doc)
		return err
	})
}

func one(ctx context.Context, pool *pgxpool.Pool, id, doc string) error {
	tag, err := pool.Exec(ctx, fenced, "/pages", id, doc, int64(0))
	if err == nil && tag.RowsAffected() == 0 {
		err = errFenced
	}
	return err
}
