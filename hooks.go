package pinned

import (
	"context"
	"net/http"
)

// The hooks of an object, all optional. Generated code asserts those that a type
// has, and the runtime calls them. Object itself has none.

// Opener is called before the first request of an activation. It has 60 s; then
// its context ends, and the activation has failed. A failed activation is
// answered with 500, and the next request tries again.
type Opener interface {
	Open(ctx context.Context) error
}

// Closer is called in a turn after the last request of an activation: on
// eviction, on shutdown, and after an abort or a panic too. It isn't called
// after an Open that failed. Its error is logged.
type Closer interface {
	Close(ctx context.Context) error
}

// Authorizer is asked before a request activates anything. It runs on a value of
// its own, on which setup has run, and outside turns. An error that has a status
// is answered with it, any other with 403 and a fixed text.
type Authorizer interface {
	Authorize(ctx context.Context, r *http.Request, caller Caller) error
}

// Idler is asked in a turn before an idle instance is evicted. False: stay for
// another idle time.
type Idler interface {
	Idle(ctx context.Context) bool
}

// Statser tells, in a turn, what Worker.Stats and _pinned/stats show of an
// instance beside the runtime's own numbers. A name that the runtime uses itself
// is left out.
type Statser interface {
	Stats() map[string]any
}
