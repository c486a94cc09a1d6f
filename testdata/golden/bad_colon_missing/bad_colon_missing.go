package bad_colon_missing

import "github.com/pinned-go/pinned"

//pinned object /bad_colon_missing
type Room struct{ pinned.Object }

//pinned-route GET /hyphen
func (r *Room) Hyphen() {}

//pinned：route GET /fullwidth
func (r *Room) Fullwidth() {}

//pinned::route GET /twice
func (r *Room) Twice() {}

//pinnedroute GET /glued
func (r *Room) Glued() {}

// pinned route tables are static, and so is this sentence.
// pinned: see below
func (r *Room) Prose() {}

/*pined:route GET /block*/
func (r *Room) Block() {}
