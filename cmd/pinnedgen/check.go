package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pinned-go/pinned/gen"
)

func check(ctx context.Context, c command, std streams) int {
	differences, problems, err := gen.Check(ctx, c.options())
	if err != nil || len(problems) > 0 {
		return c.trouble(std, problems, err)
	}
	for _, d := range differences {
		if c.json {
			err = printJSON(std.out, d)
		} else {
			_, err = io.WriteString(std.out, d.Diff)
			fmt.Fprintf(std.err, "pinnedgen: %s is %s\n", d.File, d.Status)
		}
		if err != nil {
			return c.trouble(std, nil, err)
		}
	}
	if len(differences) > 0 {
		return exitDrift
	}
	return exitDone
}
