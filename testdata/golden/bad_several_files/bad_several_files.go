package bad_several_files

import "github.com/pinned-go/pinned"

//pinned:object /bad_several_files
type Room struct{ pinned.Object }

//pinned:route GET /a concurent
func (r *Room) A() {}
