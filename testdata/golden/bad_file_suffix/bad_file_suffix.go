// Package bad_file_suffix has a route in a file that isn't always there.
package bad_file_suffix

import "github.com/pinned-go/pinned"

//pinned:object /bad_file_suffix
type Room struct{ pinned.Object }
