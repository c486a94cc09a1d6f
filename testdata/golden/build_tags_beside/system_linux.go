package build_tags_beside

func system() string { return "a system" }
