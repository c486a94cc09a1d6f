package bad_methods

import "github.com/pinned-go/pinned"

//pinned:object /bad_methods
type Room struct{ pinned.Object }

//pinned:route get /a
func (r *Room) A() {}

//pinned:route GTE /b
func (r *Room) B() {}

//pinned:route OPTIONS /c
func (r *Room) C() {}

//pinned:route /d
func (r *Room) D() {}

//pinned:route WS /e
func (r *Room) E() {}

//pinned:route * /f
func (r *Room) F() {}
