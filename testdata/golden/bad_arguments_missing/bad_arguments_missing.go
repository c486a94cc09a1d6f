package bad_arguments_missing

import "github.com/pinned-go/pinned"

//pinned:object
type Room struct{ pinned.Object }

//pinned:route
func (r *Room) X() {}

//pinned:route GET
func (r *Room) Y() {}

//pinned:route GET concurrent
func (r *Room) Z() {}

//pinned:error
var ErrA error

//pinned:error code
var ErrB error
