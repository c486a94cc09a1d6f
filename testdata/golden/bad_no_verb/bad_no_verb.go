package bad_no_verb

import "github.com/pinned-go/pinned"

//pinned:
type Room struct{ pinned.Object }

//pinned: 
func (r *Room) X() {}
