package bad_unknown_verb

import "github.com/pinned-go/pinned"

//pinned:objekt /bad_unknown_verb
type Room struct{ pinned.Object }

//pinned:rout GET /x
func (r *Room) X() {}

//pinned:route-x GET /y
func (r *Room) Y() {}

//pinned:something GET /z
func (r *Room) Z() {}
