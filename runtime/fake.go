package runtime

import (
	"fmt"
	"net/http"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
)

// fake is the target of a test's client.
type fake struct {
	pkg   string
	fakes any // the Fakes of that package
}

// FakeOf names the package whose fakes a target has. pinnedtest.Host finds by it
// which calls they answer.
func FakeOf(t pinned.Target) (pkg string, ok bool) {
	f, ok := bind.Target(t).To().(*fake)
	if !ok {
		return "", false
	}
	return f.pkg, true
}

// Fake makes the target of generated NewFakes: fakes answer for the objects of
// the package whose import path is pkg.
func Fake(pkg string, fakes any) pinned.Target { return newTarget(&fake{pkg: pkg, fakes: fakes}) }

// Faked returns the fakes behind a target, if it has any. F is the Fakes of the
// client's own package.
func Faked[F any](t pinned.Target) (F, bool) {
	if f, ok := bind.Target(t).To().(*fake); ok {
		fakes, ok := f.fakes.(F)
		return fakes, ok
	}
	return *new(F), false
}

// FakeUnset is the error of a fake's call that the test hasn't set: what is its
// name, such as "FakeRoom.SetTopicFunc".
func FakeUnset(what string) error {
	e := &pinned.Error{Status: http.StatusNotImplemented, Detail: fmt.Sprintf("%s is not set", what)}
	return made(e, nil, pinned.NotRun, "")
}
