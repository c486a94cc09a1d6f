package sub

import "github.com/pinned-go/pinned/goldens/bad_import_cycle"

type T struct{ R *bad_import_cycle.Room }
