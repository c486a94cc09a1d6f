package bad_client_name

import "github.com/pinned-go/pinned"

//pinned:object /bad_client_name client=./my-client
type Room struct{ pinned.Object }

//pinned:object /bad_client_name_2 client=./func
type Hall struct{ pinned.Object }
