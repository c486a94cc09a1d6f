package bad_several_files

//pinned:route GET /a2 ungated
func (r *Room) A2() {}

//pinned:route GET /same
func (r *Room) B() {}
