package bad_detached

import "github.com/pinned-go/pinned"

//pinned:object /bad_detached

type Room struct{ pinned.Object }

//pinned:route GET /x

// X is below a blank line.
func (r *Room) X() {}

//pinned:route GET /end
