package runtime

import (
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/clock"
)

// Option changes a Worker. A value that makes no sense is an error of NewWorker.
type Option func(*options) error

// options are the defaults that most leave alone.
type options struct {
	maxInstances      int           // 10,000
	idleTimeout       time.Duration // 300 s
	activationSlots   int           // 64
	activationWait    time.Duration // 5 s
	openTimeout       time.Duration // 60 s, fixed by the contract
	drainTimeout      time.Duration // 25 s
	readHeaderTimeout time.Duration // 10 s, fixed by the contract
	origins           []string      // nil: the same host only
	logger            *slog.Logger
	clock             clock.Clock
	store             durability.StateStore // nil: nothing durable can be registered
	concurrent        int                   // 256 deliveries of trays
	takeover          bool                  // of rows at their stored epochs
	fleet             *Fleet                // nil: local mode
	registry          prometheus.Registerer // nil: nothing is counted
}

func defaults() options {
	return options{
		maxInstances:      10_000,
		idleTimeout:       300 * time.Second,
		activationSlots:   64,
		activationWait:    5 * time.Second,
		openTimeout:       60 * time.Second,
		drainTimeout:      25 * time.Second,
		concurrent:        256,
		readHeaderTimeout: 10 * time.Second,
		logger:            slog.Default(),
		clock:             clock.System,
	}
}

// WithMaxInstances bounds how many instances are resident at once, those that
// activate or close included. Over it, a request for an id that isn't resident
// is refused with 503, Retry-After and pinned-refusal "capacity" (wire contract,
// section 4). Default: 10,000.
func WithMaxInstances(n int) Option {
	return func(o *options) error {
		if n < 1 {
			return fmt.Errorf("max instances %d: must be at least 1", n)
		}
		o.maxInstances = n
		return nil
	}
}

// WithIdleTimeout sets how long an instance stays after its last request, stream,
// socket or background work has ended. A sweep evicts it within a tenth of that
// time, or 30 s if that is less. Default: 300 s.
func WithIdleTimeout(d time.Duration) Option {
	return func(o *options) error {
		if d <= 0 {
			return fmt.Errorf("idle timeout %v: must be positive", d)
		}
		o.idleTimeout = d
		return nil
	}
}

// WithActivationSlots bounds how many Open hooks run at once, and how long a
// request waits for its activation to get a slot before it is refused with 503,
// Retry-After and pinned-refusal "busy" (wire contract, section 4); the
// activation stays queued. A request that meets an instance in the middle of its
// Close waits as long for its end. Default: 64 slots, 5 s.
func WithActivationSlots(n int, wait time.Duration) Option {
	return func(o *options) error {
		if n < 1 {
			return fmt.Errorf("activation slots %d: must be at least 1", n)
		}
		if wait <= 0 {
			return fmt.Errorf("wait %v for an activation slot: must be positive", wait)
		}
		o.activationSlots, o.activationWait = n, wait
		return nil
	}
}

// WithDrainTimeout bounds how long Shutdown and the drain of ListenAndServe take.
// What still runs after four fifths of it is cancelled, so that Close hooks have
// the rest. Default: 25 s.
func WithDrainTimeout(d time.Duration) Option {
	return func(o *options) error {
		if d <= 0 {
			return fmt.Errorf("drain timeout %v: must be positive", d)
		}
		o.drainTimeout = d
		return nil
	}
}

// WithLogger sets where the worker logs. Ids, and whatever else a client chose,
// are attributes of a record and never part of its message. Default:
// slog.Default() at the time of NewWorker.
func WithLogger(log *slog.Logger) Option {
	return func(o *options) error {
		if log == nil {
			return errors.New("the logger is nil")
		}
		o.logger = log
		return nil
	}
}

// WithOrigins names the hosts, beside the worker's own, from whose pages a browser
// may open a WebSocket: patterns of path.Match for the host and port of the
// Origin header, without regard to case, such as "app.example.com" or
// "*.example.com"; "*" is every host. Default: only pages of the same host that
// the request names.
func WithOrigins(patterns ...string) Option {
	return func(o *options) error {
		for _, pattern := range patterns {
			if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
				return fmt.Errorf("origin pattern %q: not a pattern of path.Match", pattern)
			}
			o.origins = append(o.origins, strings.ToLower(pattern))
		}
		return nil
	}
}

// WithStore sets where instances keep what is durable. A worker in local mode takes
// the store for itself where it can say so: a second one's Start fails. It is
// opened and closed by the caller, after Shutdown. Default: none, and Start fails
// for a class with durable fields.
func WithStore(store durability.StateStore) Option {
	return func(o *options) error {
		if store == nil {
			return errors.New("the store is nil")
		}
		o.store = store
		return nil
	}
}

// WithTakeover lets a worker in local mode take over the rows that a fleet has
// written, at the epochs that are stored with them. Nothing of that fleet may run
// any more: both would write. Default: the activation of such an instance fails.
func WithTakeover() Option {
	return func(o *options) error {
		o.takeover = true
		return nil
	}
}

// WithDispatches bounds how many deliveries of trays run at once in the worker; others
// wait. Default: 256.
func WithDispatches(n int) Option {
	return func(o *options) error {
		if n < 1 {
			return fmt.Errorf("dispatches %d: must be at least 1", n)
		}
		o.concurrent = n
		return nil
	}
}

// withClock is for tests that move the time by hand.
func withClock(c clock.Clock) Option {
	return func(o *options) error {
		o.clock = c
		return nil
	}
}
