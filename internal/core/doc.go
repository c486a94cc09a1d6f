// Package core holds, a package per noun, the step functions that decide: state
// and an event with its time go in, state and effects come out. There is no
// clock, no goroutine, no lock and no I/O in them, and nothing that they decide
// depends on the order of a map. The runtime wraps them in locks and carries out
// the effects; a simulator drives the same functions.
package core
