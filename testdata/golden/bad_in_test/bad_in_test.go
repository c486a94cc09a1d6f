package bad_in_test

import "github.com/pinned-go/pinned"

//pinned:object /bad_in_test
type Room struct{ pinned.Object }
