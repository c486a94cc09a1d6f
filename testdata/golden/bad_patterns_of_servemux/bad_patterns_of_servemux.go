package bad_patterns_of_servemux

import "github.com/pinned-go/pinned"

//pinned:object /bad_patterns_of_servemux
type Room struct{ pinned.Object }

//pinned:route GET /{a}/{a}
func (r *Room) A(a string) {}

//pinned:route GET /{b...}/x
func (r *Room) B(b string) {}

//pinned:route GET /{c
func (r *Room) C(c string) {}

//pinned:route GET /{1}
func (r *Room) D() {}

//pinned:route GET /{}
func (r *Room) E() {}

//pinned:route GET /x{f}
func (r *Room) F(f string) {}

//pinned:route GET /{$}/x
func (r *Room) G() {}

//pinned:route GET //x
func (r *Room) H() {}

//pinned:route GET /a/../b
func (r *Room) I() {}
