package errors_without_objects

import "errors"

// ErrNone belongs to a package that only declares errors.
//
//pinned:error none_left 404
var ErrNone = errors.New("none left")
