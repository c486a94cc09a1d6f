// Package boxes has the errors of boxes, and gets their client.
package boxes

import "errors"

// ErrFull crosses the wire, by the table of this package.
//
//pinned:error box_full 507
var ErrFull = errors.New("the box is full")
