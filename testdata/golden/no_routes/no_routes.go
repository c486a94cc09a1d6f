package no_routes

import "github.com/pinned-go/pinned"

// Empty has no route yet: it can be registered all the same.
//
//pinned:object /no_routes
type Empty struct{ pinned.Object }
