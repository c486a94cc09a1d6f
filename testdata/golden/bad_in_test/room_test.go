package bad_in_test

import "github.com/pinned-go/pinned"

//pinned:object /bad_in_test_2
type TestRoom struct{ pinned.Object }

//pinned:route GET /x
func (r *TestRoom) X() {}
