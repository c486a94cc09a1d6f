// Command server is our side of the benchmarks over HTTP and WebSocket: a worker
// with one object. It prints two URLs, that of the worker and that of the
// controls: POST /bench/settle collects garbage and tells the live heap, and
// /debug/pprof/ profiles. It ends when its standard input does.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof" //nolint:gosec // on the controls' own port of a benchmark
	"os"
	goruntime "runtime"
	"runtime/debug"

	"github.com/pinned-go/pinned/bench/pages"
	"github.com/pinned-go/pinned/bench/rooms"
	"github.com/pinned-go/pinned/durability/postgres"
	"github.com/pinned-go/pinned/runtime"
)

// The profiles' package has the runtime sample allocations, which no server does that
// ours is compared with.
func init() { goruntime.MemProfileRate = 0 }

func main() {
	instances := flag.Int("max", 10_000, "instances at most")
	database := flag.String("postgres", "", "the database that keeps notes and tallies; empty: rooms are served")
	flag.Parse()
	if err := run(*instances, *database); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run(instances int, database string) error {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		// Nobody waits for a drain.
		os.Exit(0)
	}()

	// As quiet as the Python peers are.
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := []runtime.Option{runtime.WithMaxInstances(instances), runtime.WithLogger(quiet)}
	if database != "" {
		store, err := postgres.New(database, postgres.WithPoolSize(8), postgres.WithPreparedStatements())
		if err != nil {
			return err
		}
		options = append(options, runtime.WithStore(store))
	}
	worker, err := runtime.NewWorker(options...)
	if err != nil {
		return err
	}
	if database != "" {
		pages.Register(worker)
	} else {
		rooms.Register(worker)
	}

	var config net.ListenConfig
	controls, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the controls: %w", err)
	}
	http.HandleFunc("POST /bench/settle", settle)
	go func() { _ = http.Serve(controls, nil) }() //nolint:gosec // on loopback, for the benchmark alone

	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- worker.ListenAndServe(ctx, address) }()
	if err := served(ctx, address, failed); err != nil {
		return err
	}
	fmt.Printf("http://%s http://%s\n", address, controls.Addr())
	return <-failed
}

// freeAddress finds a port that nobody listens on, since ListenAndServe doesn't
// tell which one it took.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String(), nil
}

// served waits until the address answers.
func served(ctx context.Context, address string, failed <-chan error) error {
	for {
		var dial net.Dialer
		conn, err := dial.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case err := <-failed:
			return err
		default:
			goruntime.Gosched()
		}
	}
}

// settle collects garbage, twice since pools keep theirs for one round, gives
// what is free back to the system, and tells what is left.
func settle(w http.ResponseWriter, _ *http.Request) {
	goruntime.GC()
	debug.FreeOSMemory()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]uint64{"heap": stats.HeapAlloc})
}
