// Command pinnedgen generates routers, clients and fakes of the objects that
// //pinned: directives annotate. This folder has its verbs, flags and exit codes;
// what they do is in package gen. Run "pinnedgen help" for the manual.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
)

func main() {
	// A run is short and most of what it makes stays until its end, so that
	// collecting often costs more than it frees.
	debug.SetGCPercent(800)

	// An interrupt ends the run between its steps, so that no temporary file stays.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
