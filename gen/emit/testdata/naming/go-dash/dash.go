// Package req is not called as its folder.
package req

// ID is a name.
type ID string
