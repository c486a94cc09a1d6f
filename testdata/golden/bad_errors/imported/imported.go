package imported

import "errors"

//pinned:error across 404
var ErrAcross = errors.New("across")
