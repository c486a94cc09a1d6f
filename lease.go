package pinned

import "time"

// Lease says how long this process may go on serving its instances (wire
// contract, section 9). In local mode it is healthy and never expires.
type Lease struct {
	// Healthy says that new instances are accepted.
	Healthy bool
	// Expiry is when every request is refused unless the lease is renewed before
	// it. Zero: never.
	Expiry time.Time
	// WindingDown says that this instance has been told to end.
	WindingDown bool
	// EvictionDeadline is when it must have ended. Zero: no deadline.
	EvictionDeadline time.Time
}
