package bad_route_never

import "github.com/pinned-go/pinned"

//pinned:object /bad_route_never
type Room struct{ pinned.Object }

//pinned:route GET /{$}
func (r *Room) A() {}

//pinned:route GET /{rest...}
func (r *Room) B(rest string) {}

//pinned:route GET /{x}
func (r *Room) C(x string) {}

//pinned:route GET /{x}/{rest...}
func (r *Room) D(x, rest string) {}
