// Package minimal is the smallest object there is.
package minimal

import "github.com/pinned-go/pinned"

// Counter counts.
//
//pinned:object /minimal
type Counter struct {
	pinned.Object
	n int
}

// Add adds one.
//
//pinned:route POST /add
func (c *Counter) Add() int {
	c.n++
	return c.n
}
