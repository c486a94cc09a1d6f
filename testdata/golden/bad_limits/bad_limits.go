package bad_limits

import "github.com/pinned-go/pinned"

//pinned:object /bad_limits
type Room struct{ pinned.Object }

//pinned:route POST /a limit=0
func (r *Room) A() {}

//pinned:route POST /b limit=-1
func (r *Room) B() {}

//pinned:route POST /c limit=1kb
func (r *Room) C() {}

//pinned:route POST /d limit=99999999999GiB
func (r *Room) D() {}

//pinned:route POST /e limit=9223372036854775808
func (r *Room) E() {}

//pinned:route POST /f auth=a.b
func (r *Room) F() {}
