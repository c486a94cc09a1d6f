// Package package_internal has a second object in an internal folder.
package package_internal

import (
	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/package_internal/internal/lamp"
)

//pinned:object /package_internal_front
type Front struct{ pinned.Object }

//pinned:route GET /
func (f *Front) Get() string { return new(lamp.Lamp).Get() }

var _ = lamp.Register
