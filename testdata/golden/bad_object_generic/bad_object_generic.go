package bad_object_generic

import "github.com/pinned-go/pinned"

//pinned:object /bad_object_generic
type Store[T any] struct{ pinned.Object }

//pinned:route GET /
func (s *Store[T]) Get() (t T) { return t }
