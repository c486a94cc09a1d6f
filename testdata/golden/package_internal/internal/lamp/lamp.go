package lamp

import "github.com/pinned-go/pinned"

//pinned:object /package_internal
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get() string { return "on" }
