package bad_spaced

import "github.com/pinned-go/pinned"

// Room is spaced.
//
// pinned:object /bad_spaced
type Room struct{ pinned.Object }

//	pinned:route GET /tab
func (r *Room) Tab() {}

// pinned:route GET /x
func (r *Room) X() {}
