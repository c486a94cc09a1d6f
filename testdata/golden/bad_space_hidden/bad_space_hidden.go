package bad_space_hidden

import "github.com/pinned-go/pinned"

// pinned:object /bad_space_hidden
type Room struct{ pinned.Object }

//pinned: route GET /x
func (r *Room) X() {}
