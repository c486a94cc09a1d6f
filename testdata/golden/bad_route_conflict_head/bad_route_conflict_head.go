package bad_route_conflict_head

import "github.com/pinned-go/pinned"

//pinned:object /bad_route_conflict_head
type Room struct{ pinned.Object }

//pinned:route HEAD /{x}/b
func (r *Room) A(x string) {}

//pinned:route GET /a/{y}
func (r *Room) B(y string) {}
