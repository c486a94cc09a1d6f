//go:build !chaos

package fault

// Is reports whether a fault acts. Without the build tag chaos none does.
func Is(Fault) bool { return false }
