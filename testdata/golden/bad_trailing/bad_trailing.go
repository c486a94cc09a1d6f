package bad_trailing

import "github.com/pinned-go/pinned"

type Room struct{ pinned.Object } //pinned:object /bad_trailing

func (r *Room) X() {} //pinned:route GET /x

var a error //pinned:error a 400
