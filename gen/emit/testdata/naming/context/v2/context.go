// Package context is called as another.
package context

// Level is a number.
type Level int
