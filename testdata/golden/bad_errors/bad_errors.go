package bad_errors

import "errors"

//pinned:error not_an_error 400
var NotAnError = "text"

//pinned:error not_an_error_type 400
type NotAnErrorType struct{}

//pinned:error twice 400
var ErrA = errors.New("a")

//pinned:error twice 404
var ErrB = errors.New("b")

//pinned:error unencodable 400
type Unencodable struct{ C chan int }

func (Unencodable) Error() string { return "" }

//pinned:error generic 400
type Generic[T any] struct{ V T }

func (Generic[T]) Error() string { return "" }

//pinned:error one_code 400
//pinned:error another_code 400
var ErrTwoCodes = errors.New("two codes")
