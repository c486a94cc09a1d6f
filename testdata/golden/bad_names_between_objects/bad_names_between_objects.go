package bad_names_between_objects

import "github.com/pinned-go/pinned"

//pinned:object /bad_names_between_objects_a
type Room struct{ pinned.Object }

//pinned:object /bad_names_between_objects_b
type RoomRef struct{ pinned.Object }

//pinned:object /bad_names_between_objects_c
type FakeRoom struct{ pinned.Object }

//pinned:object /bad_names_between_objects_d
type Fakes struct{ pinned.Object }
