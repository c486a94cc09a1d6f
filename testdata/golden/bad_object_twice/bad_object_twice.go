package bad_object_twice

import "github.com/pinned-go/pinned"

//pinned:object /bad_object_twice_a
//pinned:object /bad_object_twice_b
type Room struct{ pinned.Object }

//pinned:object /bad_object_twice_c
//pinned:object /bad_object_twice_c
type Hall struct{ pinned.Object }
