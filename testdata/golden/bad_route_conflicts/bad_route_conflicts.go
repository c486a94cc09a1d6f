package bad_route_conflicts

import "github.com/pinned-go/pinned"

//pinned:object /bad_route_conflicts
type Room struct{ pinned.Object }

//pinned:route GET /same
func (r *Room) A() {}

//pinned:route GET /same
func (r *Room) B() {}

//pinned:route GET /{x}/b
func (r *Room) C(x string) {}

//pinned:route GET /a/{y}
func (r *Room) D(y string) {}

//pinned:route POST /{one}
func (r *Room) E(one string) {}

//pinned:route POST /{other}
func (r *Room) F(other string) {}

//pinned:route PUT /twice
//pinned:route PUT /twice
func (r *Room) G() {}

//pinned:route WEBSOCKET /live
func (r *Room) H(conn *pinned.Conn[int, int]) {}

//pinned:route WEBSOCKET /live
func (r *Room) I(conn *pinned.Conn[int, int]) {}

//pinned:route HEAD /{x}/d
func (r *Room) J(x string) {}

//pinned:route GET /c/{y}
func (r *Room) K(y string) {}
