// Package lib has a version in its path.
package lib

// Level is a number.
type Level uint8
