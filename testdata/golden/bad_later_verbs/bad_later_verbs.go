// Package bad_later_verbs uses what doesn't exist yet.
package bad_later_verbs

import "github.com/pinned-go/pinned"

//pinned:object /bad_later_verbs
type Room struct{ pinned.Object }

//pinned:run
func Run() {}
