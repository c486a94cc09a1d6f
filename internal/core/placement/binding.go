package placement

// Binding is the environment that a namespace of a hostname belongs to (wire contract,
// section 7).
type Binding struct {
	Env   string
	Epoch int64
	// Deny says that the holder refuses to be displaced while it lives.
	Deny bool
}

// Bound is what becomes of a binding that a registration wants.
type Bound uint8

const (
	// Agreed: there was none, or it is the same.
	Agreed Bound = iota
	// Taken: the registration takes it over, and its holders are superseded.
	Taken
	// Refused: another environment has it at an epoch that is no lower.
	Refused
	// Denied: its holder lives and doesn't let go.
	Denied
)

// Bind decides. held says that the binding is there, and alive that a worker lives which
// holds it.
func Bind(current Binding, held, alive bool, want Binding) (Binding, Bound) {
	switch {
	case !held:
		return want, Agreed
	case current.Env == want.Env:
		// Whether the holders deny is up to the latest of them at the highest epoch.
		if want.Epoch < current.Epoch {
			return current, Agreed
		}
		return want, Agreed
	case want.Epoch <= current.Epoch:
		return current, Refused
	case current.Deny && alive:
		return current, Denied
	}
	return want, Taken
}
