package bad_object_base

import "github.com/pinned-go/pinned"

//pinned:object /bad_object_base_none
type None struct{ n int }

//pinned:object /bad_object_base_named
type Named struct{ o pinned.Object }

//pinned:object /bad_object_base_pointer
type Pointer struct{ *pinned.Object }

type base struct{ pinned.Object }

//pinned:object /bad_object_base_deep
type Deep struct{ base }

type Object struct{}

//pinned:object /bad_object_base_other
type Other struct{ Object }
