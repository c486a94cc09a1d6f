package pinned

// Caller is who calls, as the attestation of the request says (wire contract,
// section 5). It is zero for a call from outside, and in local mode for every
// call that came over the network.
type Caller struct {
	// Namespace and ID name the calling instance: "/rooms" and "lobby".
	Namespace, ID string
	// Depth counts the calls from instance to instance that led here, 1 for the
	// first. A call at a depth over 50 fails at its caller.
	Depth int
	// Account is the end user's, or nil.
	Account *Account
}

// Account is the end user on whose behalf a request is made.
type Account struct {
	// Subject names the user.
	Subject string
	// Claims are what else the attestation says of them.
	Claims map[string]any
	// Scopes are what they allowed.
	Scopes []string
}
