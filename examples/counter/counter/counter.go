// Package counter serves counters: one live Counter per id.
package counter

import (
	"context"

	"github.com/pinned-go/pinned"
)

//go:generate go tool pinnedgen

// Counter counts. It needs no lock: one turn runs at a time.
//
//pinned:object /counters
type Counter struct {
	pinned.Object

	n int
}

// Add adds one and returns the new count.
//
//pinned:route POST /
func (c *Counter) Add(ctx context.Context) int {
	c.n++
	return c.n
}

// Count returns the count.
//
//pinned:route GET /
func (c *Counter) Count(ctx context.Context) int {
	return c.n
}
