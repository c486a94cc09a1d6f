package other

import "github.com/pinned-go/pinned"

//pinned:object /bad_namespace_twice
type C struct{ pinned.Object }
