package bad_error_arguments

import "errors"

//pinned:error Upper 400
var ErrA = errors.New("a")

//pinned:error 1a 400
var ErrB = errors.New("b")

//pinned:error c 200
var ErrC = errors.New("c")

//pinned:error d x
var ErrD = errors.New("d")

//pinned:error e 600
var ErrE = errors.New("e")
