package sub

//pinned:rout GET /same
func C() {}
