package bad_route_receivers

import "github.com/pinned-go/pinned"

//pinned:object /bad_route_receivers
type Room struct{ pinned.Object }

//pinned:route GET /value
func (r Room) Value() {}

//pinned:route GET /unexported
func (r *Room) unexported() {}

type Plain struct{}

//pinned:route GET /plain
func (p *Plain) Plain() {}

type base struct{}

// Promoted would be one of Base's routes, not of those that embed it.
//
//pinned:route GET /promoted
func (b *base) Promoted() {}

//pinned:object /bad_route_receivers_hall
type Hall struct {
	pinned.Object
	base
}
