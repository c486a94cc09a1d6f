package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/wire"
)

// Args are the path parameters of a match, unescaped, in the order of the
// pattern.
type Args [8]string

// Class describes an annotated struct T. Generated code makes it.
type Class[T any] struct {
	// Name is the Go name of the struct, Namespace where its ids live ("/rooms"),
	// Env the env that its directive names.
	Name, Namespace, Env string
	// Base is the Object that the struct embeds.
	Base func(*T) *pinned.Object
	// Match finds the route of a request in Routes, or -1. The path is escaped and
	// begins with a slash; the method is one of the seven of the directives.
	Match func(method, path string, args *Args) int
	// Durable binds the durable fields of a value. Nil: there are none.
	Durable func(*T, *Binder)
	// Alarms are the methods that run when an alarm is due.
	Alarms []Alarm[T]
	// Routes are the routes in the order of the source.
	Routes []Route[T]
	// Errors are what crosses the wire by its code.
	Errors pinned.Errors
}

// Route is one route of a Class.
type Route[T any] struct {
	// Method is one of the seven of the directives, Pattern the path after the id,
	// Func the Go name of the method that answers.
	Method, Pattern, Func string
	// Limit bounds the request's body, or one message of a WEBSOCKET route, in
	// bytes. 0: 1 MiB.
	Limit int64
	// Concurrent routes run outside turns.
	Concurrent bool
	// Ungated routes answer before what they have written and seen is durable.
	Ungated bool
	// NoAuth routes ask nobody.
	NoAuth bool
	// Auth is asked instead of the Authorize hook. Nil: the hook is, if there is
	// one.
	Auth func(*T, context.Context, *http.Request, pinned.Caller) error
	// Serve decodes, enters, calls the method and answers.
	Serve func(*Call)
}

// defaultLimit bounds a body where the route says nothing.
const defaultLimit = 1 << 20

// RegisterOption changes a registration. The generated Setup functions make them.
type RegisterOption struct {
	setup     any // func(*T) of some T
	migration any // of a tray type; nil: it is a setup
}

// Setup makes an option that runs f on every new value of T, before Open, and on
// those that only authorize. An option for another class is left to that one, so
// that one list serves all classes of a package. Several run in their order.
func Setup[T any](f func(*T)) RegisterOption { return RegisterOption{setup: f} }

// Register adds a class to w before it starts. A fault, such as a namespace that
// is taken, is the error of w.Start.
func Register[T any](w *Worker, c Class[T], opts ...RegisterOption) {
	setups, err := setupsFor[T](opts)
	var migrations []any
	for _, opt := range opts {
		if opt.migration != nil {
			migrations = append(migrations, opt.migration)
		}
	}
	kept, unkept := c.survey(w)
	if err := errors.Join(err, c.check(), unkept); err != nil {
		w.fault(fmt.Errorf("register %s at %q: %w", c.Name, c.Namespace, err))
		return
	}
	k := newKind(w, c.Name, c.Namespace, c.Env)
	k.match, k.errors, k.keeps = c.Match, c.Errors, kept
	k.alarms = c.alarms()
	k.fresh = func(in bind.Instance) (any, error) {
		v := new(T)
		bind.Bind(c.Base(v), in)
		if kept != nil {
			b := binder(in, migrations)
			if c.Durable != nil {
				c.Durable(v, b)
			}
			if err := b.bound(); err != nil {
				return nil, err
			}
		}
		for _, setup := range setups {
			setup(v)
		}
		return v, nil
	}
	probe := any((*T)(nil))
	_, k.opens = probe.(pinned.Opener)
	_, k.closes = probe.(pinned.Closer)
	_, k.idles = probe.(pinned.Idler)
	_, k.stats = probe.(pinned.Statser)
	_, authorizes := probe.(pinned.Authorizer)
	for _, r := range c.Routes {
		k.routes = append(k.routes, route{
			method: r.Method, pattern: r.Pattern, fn: r.Func, limit: r.Limit, concurrent: r.Concurrent,
			ungated: r.Ungated, auth: authorize(k, r, authorizes), serve: r.Serve,
		})
		if r.Limit == 0 {
			k.routes[len(k.routes)-1].limit = defaultLimit
		}
	}
	w.add(k)
}

// setupsFor picks the setups of T among those of a package.
func setupsFor[T any](opts []RegisterOption) (setups []func(*T), err error) {
	for _, opt := range opts {
		if opt.migration != nil {
			continue
		}
		switch setup := opt.setup.(type) {
		case nil:
			err = errors.Join(err, errors.New("an option is zero"))
		case func(*T):
			if setup == nil {
				err = errors.Join(err, errors.New("a setup is nil"))
			} else {
				setups = append(setups, setup)
			}
		}
	}
	return setups, err
}

// survey asks what the class keeps, which takes a store.
func (c *Class[T]) survey(w *Worker) (*keeps, error) {
	if c.Durable == nil && len(c.Alarms) == 0 {
		return nil, nil
	}
	kept, err := survey(func(b *Binder) {
		if c.Durable != nil {
			c.Durable(new(T), b)
		}
	})
	if w.store == nil {
		what := "durable fields"
		if c.Durable == nil {
			what = "alarms"
		}
		err = errors.Join(err, fmt.Errorf("%s has %s, and the worker has no store: give NewWorker a runtime.WithStore", c.Name, what))
	}
	return kept, err
}

// check finds the faults of a class that generated code never has.
func (c *Class[T]) check() error {
	var errs []error
	if err := wire.ValidNamespace(c.Namespace); err != nil {
		errs = append(errs, err)
	}
	if c.Base == nil {
		errs = append(errs, errors.New("Base is nil"))
	}
	if c.Match == nil {
		errs = append(errs, errors.New("Match is nil"))
	}
	for _, r := range c.Routes {
		if r.Serve == nil {
			errs = append(errs, fmt.Errorf("Serve of %s %s is nil", r.Method, r.Pattern))
		}
		if r.Limit < 0 {
			errs = append(errs, fmt.Errorf("Limit of %s %s is negative", r.Method, r.Pattern))
		}
	}
	return errors.Join(errs...)
}

// authorize is who is asked for a route, on a value of its own, or nil.
func authorize[T any](k *kind, r Route[T], hook bool) authFunc {
	if r.NoAuth || r.Auth == nil && !hook {
		return nil
	}
	return func(ctx context.Context, id string, req *http.Request, caller pinned.Caller) error {
		v, err := k.fresh(&visitor{kind: k, id: id})
		if err != nil {
			return fmt.Errorf("make a value that authorizes: %w", err)
		}
		if r.Auth == nil {
			return v.(pinned.Authorizer).Authorize(ctx, req, caller) //nolint:errcheck,forcetypeassert // hook says so
		}
		return r.Auth(v.(*T), ctx, req, caller) //nolint:errcheck,forcetypeassert // fresh makes a *T
	}
}

type authFunc = func(ctx context.Context, id string, r *http.Request, caller pinned.Caller) error

// route is a Route without its type.
type route struct {
	method, pattern, fn string
	limit               int64 // never 0
	concurrent, ungated bool
	auth                authFunc // nil: nobody is asked
	serve               func(*Call)
}

// kind is a registered class without its type, and the directory of its ids.
type kind struct {
	w                    *Worker
	log                  *slog.Logger // with the namespace
	name, namespace, env string
	match                func(method, path string, args *Args) int
	routes               []route
	errors               pinned.Errors

	keeps                       *keeps                           // nil: nothing durable
	alarms                      map[string]alarmFunc             // by name; nil: none
	fresh                       func(bind.Instance) (any, error) // a new *T, bound and set up
	opens, closes, idles, stats bool                             // the hooks that *T has

	shards                 [shardCount]shard
	activations, evictions atomic.Int64
}

func newKind(w *Worker, name, namespace, env string) *kind {
	k := &kind{w: w, name: name, namespace: namespace, env: env, log: w.logger.With("namespace", clip(namespace))}
	for i := range k.shards {
		k.shards[i].kind = k
	}
	return k
}
