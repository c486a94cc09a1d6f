package placement

// Fate is what becomes of an id that a worker brings along when it registers.
type Fate uint8

const (
	// Duplicate quits: the id is another's, or could be.
	Duplicate Fate = iota
	// Kept stays at the epoch of its row.
	Kept
	// Minted stays at an epoch of its own.
	Minted
)

// Brought is such an id (wire contract, section 2).
type Brought struct {
	Row Row
	// Own says that the row's session is one of this very process: that of before, or one
	// whose ack has never arrived.
	Own bool
	// Lives says that the row's session lives, and is another process's.
	Lives bool
	// Epoch at which the worker says that the instance runs; 0: it doesn't.
	Epoch int64
	// Adopts says that the worker finds out by itself whether another owner ran in between:
	// it is a Go worker.
	Adopts bool
	// Wiped says that the registry has lost what it knew, and that its quarantine isn't over.
	Wiped bool
}

// Reclaim decides.
func Reclaim(b Brought) Fate {
	switch {
	case b.Row.Exists() && b.Own:
		return Kept
	case b.Row.Exists() && b.Lives:
		// Two say that they have it, and the row of one was made for what it said.
		if b.Row.Was > 0 && b.Epoch > b.Row.Was {
			return Minted
		}
		return Duplicate
	case b.Adopts:
		return Minted
	case b.Row.Exists():
		// Another had the id, and is dead. What a Python worker still has of it would go on
		// at an epoch that lets it overwrite that other's state.
		return Duplicate
	case b.Wiped:
		return Minted
	}
	return Duplicate
}
