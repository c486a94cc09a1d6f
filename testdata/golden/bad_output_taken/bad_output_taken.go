package bad_output_taken

import "github.com/pinned-go/pinned"

//pinned:object /bad_output_taken
type Room struct{ pinned.Object }
