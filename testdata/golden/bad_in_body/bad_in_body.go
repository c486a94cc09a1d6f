package bad_in_body

import "github.com/pinned-go/pinned"

//pinned:object /bad_in_body
type Room struct {
	pinned.Object

	//pinned:route GET /field
	field int
}

func (r *Room) X() {
	//pinned:route GET /x
	r.field++
}

func (r *Room) Y(
	//pinned:route GET /y
	a int,
) {
}

type Iface interface {
	//pinned:route GET /z
	Z()
}
