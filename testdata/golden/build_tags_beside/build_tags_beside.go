package build_tags_beside

import "github.com/pinned-go/pinned"

//pinned:object /build_tags_beside
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get() string { return system() }
