package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

func printVersion(_ context.Context, c command, std streams) int {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		if r := info.Main.Replace; r != nil {
			version += " from " + r.Path + " " + r.Version
		}
	}
	fmt.Fprintf(c.text(std), "pinnedgen %s, built with %s\n", version, runtime.Version())
	return exitDone
}
