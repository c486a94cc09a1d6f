package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/tray"
)

// TrayOptions are what the directive of a tray type says (authoring contract, section
// 2).
type TrayOptions struct {
	// Version is the schema version of its rows.
	Version int
	// Attempts is how often an item is delivered before it parks. Default: 10.
	Attempts int
	// Timeout bounds one delivery, whose instance is aborted then. Default: 12 h.
	Timeout time.Duration
	// Open trays open at the activation, and never close.
	Open bool
	// Drain lets a tray finish what is queued while the worker drains.
	Drain bool
}

// TrayClass describes a tray type T, whose Items give an I. Generated code makes it.
type TrayClass[T, I any] struct {
	TrayOptions

	// Name is the Go name of the struct.
	Name string
	// Base is the Tray that the struct embeds.
	Base func(*T) *pinned.Tray
	// Durable binds its durable fields.
	Durable func(*T, *Binder)
	// Items are its work.
	Items func(*T) iter.Seq[I]
}

// trayClass is a TrayClass without its types, with the handler of its object.
type trayClass struct {
	TrayOptions

	name    string
	keyed   bool
	fresh   func() any                // a new *T
	bind    func(v any, b *Binder)    // its fields
	adopt   func(v any, in bind.Tray) // its Tray
	items   func(v any) iter.Seq[any] // of the author's, one I each
	handle  func(ctx context.Context, item any, d *pinned.Dispatch) error
	migrate map[int]Migration
}

// Migration makes the document of a tray's row that of the next version. It may change
// what it is given.
type Migration func(doc map[string]json.RawMessage) (map[string]json.RawMessage, error)

// migration is the option that registers one for T.
type migration[T any] struct {
	from int
	f    Migration
}

// Migrate makes an option that brings rows of the tray type T from one version to the
// next. Without one, a row of another version activates blank (durability contract,
// section 4).
func Migrate[T any](from int, f Migration) RegisterOption {
	return RegisterOption{migration: migration[T]{from, f}}
}

// BindTray binds a *pinned.TrayOf under its durable name. handle gets its items.
func BindTray[T, I any](b *Binder, field *pinned.TrayOf[T], name string, c TrayClass[T, I], handle func(context.Context, I, *pinned.Dispatch) error) {
	b.trays(name, field, classOf(b, c, handle))
}

// BindTrays is BindTray for a *pinned.TraysOf.
func BindTrays[T, I any](b *Binder, field *pinned.TraysOf[T], name string, c TrayClass[T, I], handle func(context.Context, I, *pinned.Dispatch) error) {
	class := classOf(b, c, handle)
	class.keyed = true
	b.trays(name, field, class)
}

// BindJobs binds a *pinned.Jobs, which is a tray with the one entry items.
func BindJobs[I any](b *Binder, jobs *pinned.Jobs[I], name string, o TrayOptions, handle func(context.Context, I, *pinned.Dispatch) error) {
	queue := func() *pinned.Queue[I] { return bind.JobsQueue(jobs).(*pinned.Queue[I]) } //nolint:errcheck,forcetypeassert // it is jobs' own
	o.Open = true
	b.jobs(name, &trayClass{
		TrayOptions: o, name: name,
		fresh: func() any { return jobs },
		bind:  func(_ any, b *Binder) { b.Field("items", queue()) },
		adopt: func(_ any, in bind.Tray) { bind.BindJobs(jobs, in) },
		items: func(any) iter.Seq[any] {
			return func(yield func(any) bool) {
				for q := queue(); ; q.Pop() {
					if item, ok := q.Peek(); !ok || !yield(item) {
						return
					}
				}
			}
		},
		handle: erased(handle),
	})
}

func classOf[T, I any](b *Binder, c TrayClass[T, I], handle func(context.Context, I, *pinned.Dispatch) error) *trayClass {
	class := &trayClass{
		TrayOptions: c.TrayOptions, name: c.Name,
		fresh: func() any { return new(T) },
		bind:  func(v any, b *Binder) { c.Durable(v.(*T), b) },                 //nolint:errcheck,forcetypeassert // fresh made it
		adopt: func(v any, in bind.Tray) { bind.BindTray(c.Base(v.(*T)), in) }, //nolint:errcheck,forcetypeassert // likewise
		items: func(v any) iter.Seq[any] {
			return func(yield func(any) bool) {
				for item := range c.Items(v.(*T)) { //nolint:errcheck,forcetypeassert // likewise
					if !yield(item) {
						return
					}
				}
			}
		},
		handle: erased(handle),
	}
	for _, o := range b.migrations {
		if m, ok := o.(migration[T]); ok {
			if class.migrate == nil {
				class.migrate = map[int]Migration{}
			}
			class.migrate[m.from] = m.f
		}
	}
	return class
}

// erased is a handler without the type of its item.
func erased[I any](handle func(context.Context, I, *pinned.Dispatch) error) func(context.Context, any, *pinned.Dispatch) error {
	return func(ctx context.Context, item any, d *pinned.Dispatch) error {
		i, _ := item.(I) // an I that is a nil interface has no type any more
		return handle(ctx, i, d)
	}
}

// trays binds a field of trays.
func (b *Binder) trays(name string, field any, class *trayClass) {
	b.tray(name, class)
	if b.d == nil {
		bind.BindTrays(field, unloadedTrays{})
		return
	}
	bind.BindTrays(field, b.addTrays(name, class))
}

// jobs binds a field of jobs, whose tray is there from the start.
func (b *Binder) jobs(name string, class *trayClass) {
	b.tray(name, class)
	if b.d != nil {
		b.addTrays(name, class)
	}
}

func (b *Binder) addTrays(name string, class *trayClass) *trays {
	ts := &trays{d: b.d, name: name, class: class, open: map[string]*liveTray{}}
	b.d.parts = append(b.d.parts, ts)
	return ts
}

// tray claims the name of a field of trays, and looks at the fields of its type.
func (b *Binder) tray(name string, class *trayClass) {
	if b.keeps == nil {
		return
	}
	b.claim(name)
	b.keeps.trays = true
	if !class.keyed || class.Open {
		b.keeps.namespaces = append(b.keeps.namespaces, name)
	}
	of := &Binder{row: unloaded{}, gates: unloaded{}, keeps: &keeps{}, inTray: true}
	class.bind(class.fresh(), of)
	if err := errors.Join(of.errs...); err != nil {
		b.errs = append(b.errs, fmt.Errorf("tray %s: %w", name, err))
	}
	if len(of.keeps.namespaces) > 0 {
		b.errs = append(b.errs, fmt.Errorf("tray %s: a tray holds values, queues and outboxes only", name))
	}
}

// unloadedTrays are those of a value that only authorizes.
type unloadedTrays struct{}

var errUnloaded = errors.New("no tray is opened by Authorize, which runs on a value whose durable fields aren't loaded")

func (unloadedTrays) Open(context.Context, string, bool) (any, error) { return nil, errUnloaded }

// Admit runs the body of an inbox, as one admission. Generated code calls it.
func Admit(t *pinned.Tray, f func()) pinned.Receipt {
	in := bind.TrayIn(t)
	if in == nil { // without a host
		f()
		return pinned.Receipt{}
	}
	return bind.Receipt(in.Admit(f)).(pinned.Receipt) //nolint:errcheck,forcetypeassert // it makes one
}

// AdmitAs is the value with which pinned.Dispatch.Admit runs the body of an inbox,
// once for its key. Generated code calls it.
func AdmitAs(t *pinned.Tray, key string, f func()) pinned.Admission {
	return bind.Admission(t, key, f).(pinned.Admission) //nolint:errcheck,forcetypeassert // likewise
}

// config is what the machine of a tray is told.
func (c *trayClass) config() tray.Config {
	return tray.Config{Attempts: c.Attempts, Open: c.Open, Drain: c.Drain, Keyed: c.keyed}
}

// timeout bounds a delivery.
func (c *trayClass) timeout() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return tray.DefaultTimeout
}
