package bad_sign

import "github.com/pinned-go/pinned"

///pinned:object /bad_sign
type Room struct{ pinned.Object }

// +pinned:route GET /plus
func (r *Room) Plus() {}

// //pinned:route GET /out
func (r *Room) Out() {}
