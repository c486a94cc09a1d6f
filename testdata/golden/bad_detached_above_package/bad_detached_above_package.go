//pinned:object /bad_detached_above_package

package bad_detached_above_package

import "github.com/pinned-go/pinned"

type Room struct{ pinned.Object }
