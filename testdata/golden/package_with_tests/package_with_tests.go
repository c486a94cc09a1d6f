package package_with_tests

import "github.com/pinned-go/pinned"

//pinned:object /package_with_tests
type Lamp struct{ pinned.Object }

//pinned:route GET /
func (l *Lamp) Get() string { return "on" }
