package bad_in_test_test

//pinned:error x 400
var ErrX error
