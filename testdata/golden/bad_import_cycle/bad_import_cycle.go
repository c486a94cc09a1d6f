// Package bad_import_cycle imports its importer.
package bad_import_cycle

import (
	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/bad_import_cycle/sub"
)

//pinned:object /bad_import_cycle
type Room struct{ pinned.Object }

//pinned:route POST /x
func (r *Room) X(t sub.T) {}
