package main

import (
	"context"
	"errors"

	"github.com/pinned-go/pinned/gen"
)

func generate(ctx context.Context, c command, std streams) int {
	out, problems, err := gen.Generate(ctx, c.options())
	if err != nil || len(problems) > 0 {
		return c.trouble(std, problems, err)
	}
	if ctx.Err() != nil {
		return c.trouble(std, nil, errors.New("interrupted"))
	}
	if _, err := out.Write(); err != nil {
		return c.trouble(std, nil, err)
	}
	return exitDone
}
