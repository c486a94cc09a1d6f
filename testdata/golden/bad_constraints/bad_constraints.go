//go:build golden

package bad_constraints

import "github.com/pinned-go/pinned"

//pinned:object /bad_constraints
type Room struct{ pinned.Object }
