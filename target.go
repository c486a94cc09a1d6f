package pinned

import "github.com/pinned-go/pinned/internal/bind"

// Target is where the calls of a client go: over the network, to a worker in
// the same process, from one instance to another, or to the fakes of a test.
// Generated clients embed one. It is opaque, safe for concurrent use, and its
// zero value answers every call with an error.
type Target bind.Target

func (t Target) faked() bind.Target { return bind.Target(t) }

// Faked is what the generated NewFake returns. pinnedtest.Host takes it.
type Faked interface{ faked() bind.Target }

func init() {
	bind.FakedTarget = func(faked any) bind.Target {
		f, ok := faked.(Faked)
		if !ok {
			return bind.Target{}
		}
		return f.faked()
	}
}
