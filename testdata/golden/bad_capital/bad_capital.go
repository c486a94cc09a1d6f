package bad_capital

import "github.com/pinned-go/pinned"

//Pinned:object /bad_capital
type Room struct{ pinned.Object }

//pinned:Route GET /x
func (r *Room) X() {}

//PINNED:ROUTE GET /y
func (r *Room) Y() {}

//pinned:routeX GET /z
func (r *Room) Z() {}
