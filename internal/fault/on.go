//go:build chaos

package fault

import "sync/atomic"

var chosen atomic.Value

// Choose makes one fault act, or none for "".
func Choose(f Fault) { chosen.Store(f) }

// Is reports whether a fault acts.
func Is(f Fault) bool {
	c, _ := chosen.Load().(Fault)
	return c == f
}
