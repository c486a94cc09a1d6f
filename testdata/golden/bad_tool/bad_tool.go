package bad_tool

import "github.com/pinned-go/pinned"

//pined:object /bad_tool
type Room struct{ pinned.Object }

//pinned-gen:route GET /x
func (r *Room) X() {}

//pinneds:route GET /y
func (r *Room) Y() {}
