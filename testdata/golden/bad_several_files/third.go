package bad_several_files

//pinned:route GET /same
func (r *Room) C() {}
