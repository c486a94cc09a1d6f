// Counter is the smallest program with an object: it serves one counter per id.
//
//	go run ./examples/counter
//	curl -X POST http://127.0.0.1:8080/counters/clicks
//	curl http://127.0.0.1:8080/counters/clicks
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/pinned-go/pinned/examples/counter/counter"
	"github.com/pinned-go/pinned/runtime"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	flag.Parse()
	if err := run(context.Background(), *addr); err != nil {
		fmt.Fprintln(os.Stderr, "counter:", err)
		os.Exit(1)
	}
}

// run serves until SIGTERM or SIGINT has drained the worker, or ctx ends.
func run(ctx context.Context, addr string) error {
	worker, err := runtime.NewWorker()
	if err != nil {
		return err
	}
	counter.Register(worker)
	fmt.Printf("try: curl -X POST http://%s/counters/clicks\n", addr)
	return worker.ListenAndServe(ctx, addr)
}
