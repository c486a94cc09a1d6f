package bad_patterns

import "github.com/pinned-go/pinned"

//pinned:object /bad_patterns
type Room struct{ pinned.Object }

//pinned:route GET a
func (r *Room) A() {}

//pinned:route GET /b?x=1
func (r *Room) B() {}

//pinned:route GET example.com/c
func (r *Room) C() {}

//pinned:route GET /d#top
func (r *Room) D() {}

//pinned:route GET /_pinned
func (r *Room) E() {}
