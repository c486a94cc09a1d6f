package receivers

import "github.com/pinned-go/pinned"

//pinned:object /receivers
type Room struct{ pinned.Object }

//pinned:route GET /blank
func (_ *Room) Blank() string { return "blank" }

//pinned:route GET /unnamed
func (*Room) Unnamed() string { return "unnamed" }

//pinned:route GET /paren
func (r *(Room)) Paren() string { return r.ID() }
