package object_env

import "github.com/pinned-go/pinned"

//pinned:object /object_env env=staging
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get() string { return "on" }
