package bad_options

import "github.com/pinned-go/pinned"

//pinned:object /bad_options enf=a colour=red
type Room struct{ pinned.Object }

//pinned:route GET /a concurent
func (r *Room) A() {}

//pinned:route GET /b limit=1 limit=2
func (r *Room) B() {}

//pinned:route GET /c concurrent=true
func (r *Room) C() {}

//pinned:route GET /d limit auth=
func (r *Room) D() {}

//pinned:route GET /e extra
func (r *Room) E() {}

//pinned:error a 400 retry
var ErrA error
