package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/internal/bind"
)

// Binder binds the durable fields of one value to the rows of its instance.
// Generated code calls its methods from Class.Durable, the same ones for every
// value of a class.
type Binder struct {
	row   bind.Row
	gates bind.Gates
	keeps *keeps    // what a registration finds out; nil: a value is bound
	d     *durable  // nil: the value only authorizes, or is a registration's
	of    *liveTray // whose fields are bound; nil: the object's
	errs  []error

	inTray     bool  // the fields are those of a tray type
	migrations []any // of the tray types of the registration
}

// keeps is what the values of a class keep.
type keeps struct {
	names      []string // of fields and trays
	namespaces []string // of the rows that an activation reads, beside the marked ones
	trays      bool     // there are some
}

// Field binds a durable field under its durable name.
func (b *Binder) Field(name string, field any) { b.field(name, field, nil) }

// Default is Field for a *pinned.Value whose initial value isn't the zero one but
// what this JSON says.
func (b *Binder) Default(name string, field any, initial string) {
	b.field(name, field, json.RawMessage(initial))
}

func (b *Binder) field(name string, field any, initial json.RawMessage) {
	if b.keeps != nil {
		b.claim(name)
	}
	if b.mapped(name, field) {
		return
	}
	tray := objectTray
	if b.of != nil {
		tray = b.of.tray
	}
	if err := bind.BindField(field, b.row, name, initial); err != nil {
		b.errs = append(b.errs, entryError(tray, name, err))
	} else if q := bind.QueueOf(field); q != nil && b.of != nil {
		b.of.queues = append(b.of.queues, q)
	}
}

// Feed makes the elements of a *pinned.Feed carry the gate of their origin.
func (b *Binder) Feed(feed any) {
	if err := bind.BindFeed(feed, b.gates); err != nil {
		b.errs = append(b.errs, err)
	}
}

// claim notes a durable name at registration.
func (b *Binder) claim(name string) {
	switch {
	case name == "", strings.HasPrefix(name, "~"), name == objectTray.Namespace:
		b.errs = append(b.errs, fmt.Errorf("a durable field can't have the name %q", name))
	case slices.Contains(b.keeps.names, name):
		b.errs = append(b.errs, fmt.Errorf("two durable fields have the name %q", name))
	}
	b.keeps.names = append(b.keeps.names, name)
}

// binder is that of a value which is bound to in.
func binder(in bind.Instance, migrations []any) *Binder {
	if in, ok := in.(*instance); ok {
		return &Binder{row: in.durable.object, gates: in.durable, d: in.durable, migrations: migrations}
	}
	return &Binder{row: unloaded{}, gates: unloaded{}, migrations: migrations}
}

// bound is the end of the binding: each row that was read finds its part.
func (b *Binder) bound() error {
	if b.d != nil && len(b.errs) == 0 {
		b.errs = append(b.errs, b.d.giveOut())
	}
	return errors.Join(b.errs...)
}

// survey asks what the values of a class keep.
func survey(durable func(*Binder)) (*keeps, error) {
	b := &Binder{row: unloaded{}, gates: unloaded{}, keeps: &keeps{namespaces: []string{objectTray.Namespace}}}
	durable(b)
	return b.keeps, errors.Join(b.errs...)
}
