package runtime

import (
	"errors"
	"fmt"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
)

// A faker is a host that answers for other packages' objects, as that of
// pinnedtest.Host does.
type faker interface {
	// Fake is the target that answers for a package's objects.
	Fake(pkg string) (to bind.Target, ok bool)
}

// From calls as the object r, through its host, the objects of the package whose
// import path is pkg. Their Authorize and their handlers see r as the caller. In
// a test that gave r fakes, the fake of that package answers. Without a host
// every call is an error.
func From(r pinned.Hosted, pkg string) pinned.Target {
	in := bind.Of(r)
	if in == nil {
		return newTarget(errors.New("the object has no host: register it with a worker, or give it fakes with pinnedtest.Host"))
	}
	if f, ok := in.(faker); ok {
		if to, ok := f.Fake(pkg); ok {
			return pinned.Target(to)
		}
		return newTarget(fmt.Errorf("the test's host has no fake of %s: give pinnedtest.Host what its NewFake returns", pkg))
	}
	w, namespace, id, ok := hostOf(in)
	if !ok {
		return newTarget(errors.New("the object's host can't call"))
	}
	caller := pinned.Caller{Namespace: namespace, ID: id}
	if w.member == nil {
		return newTarget(&local{worker: w, caller: caller})
	}
	to, err := w.member.newNeighbour(caller)
	if err != nil {
		return newTarget(err)
	}
	return newTarget(to)
}
