// Package package_below_package is imported by a package below it.
package package_below_package

import "github.com/pinned-go/pinned"

type Shared struct{ Text string }

//pinned:object /package_below_package
type Root struct{ pinned.Object }

//pinned:route POST /
func (r *Root) Post(s Shared) Shared { return s }
