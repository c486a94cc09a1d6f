package bad_syntax

import "github.com/pinned-go/pinned"

//pinned:object /bad_syntax
type Room struct{ pinned.Object }

//pinned:route GET /x
func (r *Room) X( {}
