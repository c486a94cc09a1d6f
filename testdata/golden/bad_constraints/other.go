package bad_constraints

//pinned:route GET /x
func (r *Room) X() {}
