package bad_space_in_value

import "github.com/pinned-go/pinned"

//pinned:object /bad_space_in_value
type Room struct{ pinned.Object }

//pinned:route PUT /quoted limit="1 KiB" concurrent
func (r *Room) Quoted() {}

//pinned:route PUT /unquoted limit=1 KiB concurrent
func (r *Room) Unquoted() {}

//pinned:route "PUT" "/option" "limit=1 KiB" cached
func (r *Room) Option() {}

//pinned:route PUT "/a b"
func (r *Room) Pattern() {}

//pinned:route PUT /auth auth="none"
func (r *Room) Auth() {}
