package bad_object_not_struct

import "github.com/pinned-go/pinned"

//pinned:object /bad_object_not_struct_a
type A int

//pinned:object /bad_object_not_struct_b
type B func()

//pinned:object /bad_object_not_struct_c
type C []pinned.Object

//pinned:object /bad_object_not_struct_d
type D E

type E struct{ pinned.Object }
