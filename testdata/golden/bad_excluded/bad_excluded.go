//go:build !golden

package bad_excluded

import "github.com/pinned-go/pinned"

//pinned:object /bad_excluded
type Room struct{ pinned.Object }
