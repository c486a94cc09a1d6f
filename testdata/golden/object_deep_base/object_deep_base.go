package object_deep_base

import "github.com/pinned-go/pinned"

// base is what the objects of this package have in common.
type base struct {
	pinned.Object
	n int
}

//pinned:object /object_deep_base_a
type A struct{ base }

//pinned:route POST /
func (a *A) Add() int { a.n++; return a.n }

//pinned:object /object_deep_base_b
type B struct {
	base
	name string
}

//pinned:route POST /
func (b *B) Add() (string, error) { return b.name, nil }
