package bad_file_suffix

//pinned:route GET /x
func (r *Room) X() {}
