package bad_namespace_twice

import "github.com/pinned-go/pinned"

//pinned:object /bad_namespace_twice
type A struct{ pinned.Object }

//pinned:object /bad_namespace_twice
type B struct{ pinned.Object }
