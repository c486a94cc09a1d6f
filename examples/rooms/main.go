// Rooms serves chat rooms, and beside them a page on which people use them.
//
//	go run ./examples/rooms
//	open http://127.0.0.1:8080 in two windows
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/durability/sqlite"
	"github.com/pinned-go/pinned/examples/rooms/rooms"
	"github.com/pinned-go/pinned/runtime"
)

//go:embed page
var pageFiles embed.FS

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	db := flag.String("db", "rooms.db", "the file that keeps topics and messages")
	flag.Parse()

	if err := run(*addr, *db); err != nil {
		fmt.Fprintln(os.Stderr, "rooms:", err)
		os.Exit(1)
	}
}

// run serves until SIGTERM or SIGINT.
func run(addr, db string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	store, err := sqlite.Open(db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	tell(os.Stdout, "http://"+listener.Addr().String())
	return serve(ctx, listener, store)
}

// serve answers on listener until ctx ends. A worker alone would be worker.ListenAndServe(ctx, addr); this one shares its
// address with a page, so it is mounted as the http.Handler that it is.
func serve(ctx context.Context, listener net.Listener, store durability.StateStore) error {
	worker, err := runtime.NewWorker(runtime.WithStore(store))
	if err != nil {
		return err
	}
	rooms.Register(worker)
	if err := worker.Start(ctx); err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.Handle("/rooms/", worker)
	mux.Handle("/", page())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}

	// The worker first: its open streams and sockets are what the server would wait for.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 25*time.Second)
	defer cancel()
	return errors.Join(worker.Shutdown(ending), server.Shutdown(ending))
}

// page serves the files of the page, and nothing that they could be made to load from elsewhere.
func page() http.Handler {
	files, err := fs.Sub(pageFiles, "page")
	if err != nil {
		panic(err) // the folder is embedded under that name
	}
	serve := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		serve.ServeHTTP(w, r)
	})
}

// tell prints what to try.
func tell(w io.Writer, base string) {
	room := base + "/rooms/lobby"
	fmt.Fprintf(w, `Rooms on %s

Open it in two browser windows, or in a terminal:

    curl -N '%[2]s/messages?follow=true'
    curl %[2]s/messages -H 'Content-Type: application/json' -d '{"name":"curl","text":"hello"}'
    curl -X PUT %[2]s/topic -H 'Content-Type: application/json' -d '{"text":"Go"}'
    curl %[2]s/topic
    curl -X PUT %[2]s/lock      # now the topic is locked: changing it answers 423
    curl -X DELETE %[2]s/lock

Ctrl-C ends it, and so may kill -9: what was said is in rooms.db, for the next time.
`, base, room)
}
