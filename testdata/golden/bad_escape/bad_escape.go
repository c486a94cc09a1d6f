package bad_escape

import "github.com/pinned-go/pinned"

//pinned:object /bad_escape
type Room struct{ pinned.Object }

//pinned:route GET /%zz
func (r *Room) A() {}

//pinned:route GET /%2
func (r *Room) B() {}
