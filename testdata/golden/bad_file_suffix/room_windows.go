package bad_file_suffix

//pinned:route GET /y
func (r *Room) Y() {}
