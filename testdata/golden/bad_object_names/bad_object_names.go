package bad_object_names

import "github.com/pinned-go/pinned"

//pinned:object /bad_object_names_a
type unexported struct{ pinned.Object }

//pinned:object /bad_object_names_b
type Target struct{ pinned.Object }
