package pinned

import "net/http"

// Response is the result of a route that chooses its status or sets headers.
//
// Body is encoded as the route's result would be without it: JSON, or text or
// bytes as they are.
type Response[T any] struct {
	// Status is the HTTP status, 200 to 599. Zero means 200. An answer of 204 or
	// 304 has no body, whatever Body holds. Any other value is a fault of the
	// handler and is answered with 500.
	Status int
	// Header is sent with the answer. A Content-Type in it replaces that of the
	// body's type. Names that begin with "pinned-" or "pinboard-" belong to the
	// runtime and are left out (wire contract, section 3).
	Header http.Header
	// Body is the result.
	Body T
}
