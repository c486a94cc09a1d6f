package bad_quotes

import "github.com/pinned-go/pinned"

//pinned:object "/bad_quotes"
type Room struct{ pinned.Object }

//pinned:route GET "/x
func (r *Room) X() {}

//pinned:route GET "/y"y
func (r *Room) Y() {}

//pinned:route GET /z limit="1 KiB"
func (r *Room) Z() {}
