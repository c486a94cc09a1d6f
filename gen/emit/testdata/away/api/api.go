// Package api is how Pings are called.
package api

import "errors"

// ErrLost is an error.
//
//pinned:error lost 404
var ErrLost = errors.New("lost")

// Gone is another.
//
//pinned:error gone 410
type Gone struct{ At int }

func (Gone) Error() string { return "gone" }

// Ball flies.
type Ball struct{ N int }
