package bad_output_quotes_header

import "github.com/pinned-go/pinned"

//pinned:object /bad_output_quotes_header
type Room struct{ pinned.Object }
