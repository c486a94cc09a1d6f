package bad_colon

import "github.com/pinned-go/pinned"

//pinned: object /bad_colon
type Room struct{ pinned.Object }

//pinned :route GET /x
func (r *Room) X() {}
