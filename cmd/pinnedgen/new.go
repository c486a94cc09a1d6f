package main

import (
	"context"
	"fmt"

	"github.com/pinned-go/pinned/gen"
)

func scaffold(ctx context.Context, c command, std streams) int {
	made, problems, err := gen.New(ctx, gen.NewOptions{Dir: c.dir, Folder: c.args[0], Module: c.module})
	if err != nil || len(problems) > 0 {
		return c.trouble(std, problems, err)
	}
	fmt.Fprintf(c.text(std), "Made module %s. Try it:\n\n\tcd %s\n\tgo test ./...\n\tgo run .\n", made, c.args[0])
	return exitDone
}
