// Package testdb gives tests real servers: databases of their own in the server that
// ./test has started.
package testdb

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgresEnv names the server's URL, for a role that may create databases.
const postgresEnv = "PINNED_TEST_POSTGRES_URL"

// Postgres makes a database for a test, which is gone after it, and returns its URL. A
// short run leaves the test out; any other without a server fails.
func Postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv(postgresEnv)
	if server == "" {
		if testing.Short() {
			t.Skip("it needs PostgreSQL")
		}
		t.Fatalf("%s isn't set: ./test starts a PostgreSQL and sets it; -short leaves such tests out", postgresEnv)
	}
	name := "test_" + strings.ToLower(rand.Text())
	run(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { run(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", postgresEnv, err)
	}
	u.Path = "/" + name
	return u.String()
}

// Exec runs statements in the database of a URL.
func Exec(t testing.TB, url string, statements ...string) {
	t.Helper()
	for _, s := range statements {
		run(t, url, s)
	}
}

func run(t testing.TB, url, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
