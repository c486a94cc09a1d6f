package bad_crlf

import "github.com/pinned-go/pinned"

// Room comes from Windows.
//
//pinned:object /bad_crlf
type Room struct{ pinned.Object }

// pinned:route GET /x
func (r *Room) X() {}

//pinned:route GET /y bogus
func (r *Room) Y() {}
