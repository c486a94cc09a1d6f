package bad_block

import "github.com/pinned-go/pinned"

/*pinned:object /bad_block*/
type Room struct{ pinned.Object }

/* pinned:route GET /x */
func (r *Room) X() {}

/*
pinned:route GET /y
*/
func (r *Room) Y() {}

/**
 * pinned:route GET /z
 */
func (r *Room) Z() {}
