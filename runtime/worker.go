package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/directory"
)

// Worker holds the instances of the registered classes and serves them. It is an
// http.Handler with a beginning and an end: Start before the first request, and
// Shutdown after the last. ListenAndServe does both.
type Worker struct {
	options

	began time.Time // of the times in the directory

	// mu guards what all shards share. It is taken inside a shard's lock, never
	// around one.
	mu        sync.Mutex
	residence directory.Residence
	slots     directory.Slots[*instance]
	faults    []error
	started   bool
	ended     bool // nothing is spawned any more

	tight atomic.Bool                      // an id that isn't resident would be refused
	kinds atomic.Pointer[map[string]*kind] // by namespace; replaced, never changed

	waiters waiters
	ticks   alarmClock
	waker   waker
	flusher *durability.Flusher // nil without a store
	hold    storeHold
	member  *member  // nil in local mode
	metrics *metrics // nil: nothing is counted

	drain, cut, last context.Context // end when a drain begins, when it cancels what runs, when it gives up
	drainNow         context.CancelCauseFunc
	cutNow, giveUp   context.CancelFunc
	drained          chan struct{}  // closed when nothing is resident after a drain began
	work             sync.WaitGroup // all goroutines of ours
	dispatches       chan struct{}  // holds one for each delivery of a tray that runs
	evictions        chan struct{}  // holds one for each idle instance that is asked or closed
}

// errDraining is the cause of the contexts that a drain ends.
var errDraining = errors.New("the worker is draining")

// NewWorker makes a worker that has no classes yet: the generated Register adds
// them. An option with a value that makes no sense is an error.
func NewWorker(opts ...Option) (*Worker, error) {
	w := &Worker{options: defaults(), drained: make(chan struct{}), evictions: make(chan struct{}, concurrentEvictions)}
	var errs []error
	for _, opt := range opts {
		errs = append(errs, opt(&w.options))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("worker options: %w", err)
	}
	if w.store != nil {
		w.flusher = durability.NewFlusher(w.store, durability.FlusherOptions{Clock: w.clock})
	}
	w.began = w.clock.Now()
	if w.fleet != nil {
		if w.takeover {
			return nil, errors.New("worker options: WithTakeover is of local mode, and WithPinboard of a fleet")
		}
		w.member = newMember(w, *w.fleet)
	}
	w.dispatches = make(chan struct{}, w.concurrent)
	w.residence.Max = w.maxInstances
	w.slots.Max = w.activationSlots
	w.tight.Store(true)
	w.kinds.Store(&map[string]*kind{})
	if w.registry != nil {
		var err error
		if w.metrics, err = newMetrics(w, w.registry); err != nil {
			return nil, fmt.Errorf("worker options: %w", err)
		}
	}
	w.drain, w.drainNow = context.WithCancelCause(context.Background())
	w.cut, w.cutNow = context.WithCancel(context.Background())
	w.last, w.giveUp = context.WithCancel(context.Background())
	return w, nil
}

// add registers a class.
func (w *Worker) add(k *kind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kinds := maps.Clone(*w.kinds.Load())
	if other := kinds[k.namespace]; other != nil {
		w.faults = append(w.faults, fmt.Errorf("register %s at %q: the namespace is that of %s", k.name, k.namespace, other.name))
		return
	}
	if w.started {
		w.faults = append(w.faults, fmt.Errorf("register %s at %q: the worker has started", k.name, k.namespace))
		return
	}
	kinds[k.namespace] = k
	w.kinds.Store(&kinds)
}

// fault keeps a fault of registration for Start.
func (w *Worker) fault(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, err)
}

// kind is the class of a namespace, or nil.
func (w *Worker) kind(namespace string) *kind { return (*w.kinds.Load())[namespace] }

// Start lets requests in. It returns the faults of registration, all at once, and
// an error after Shutdown or where another worker in local mode has the store; calling it again does nothing. A request before Start
// is refused with 503. ctx bounds Start itself, not the worker's life.
func (w *Worker) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("start: %w", context.Cause(ctx))
	}
	w.mu.Lock()
	err := errors.Join(w.faults...)
	w.mu.Unlock()
	switch {
	case err != nil:
	case w.member != nil:
		err = w.member.check()
	default:
		err = w.takeStore(ctx)
	}
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.residence.Begin() {
		_ = w.releaseStore()
		return errors.New("start: the worker was shut down")
	}
	w.loosen()
	if w.started {
		return nil
	}
	w.started = true
	w.work.Go(w.sweep)
	w.work.Go(w.watch)
	if w.member != nil {
		w.work.Go(w.member.run)
	} else {
		w.wakeStored()
	}
	return nil
}

// now is the time of the directory.
func (w *Worker) now() time.Duration { return w.clock.Since(w.began) }

// admit makes room for one more instance, or says why there is none.
func (w *Worker) admit() directory.Admission {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.loosen()
	return w.residence.Admit()
}

// would says what admit would.
func (w *Worker) would() directory.Admission {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.residence.Would()
}

// departed gives back the room of an instance.
func (w *Worker) departed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.loosen()
	if w.residence.Depart() {
		close(w.drained)
	}
}

// loosen notes whether ids that aren't resident are refused, for the path of
// those that are. mu must be held.
func (w *Worker) loosen() { w.tight.Store(w.residence.Would() != directory.Admitted) }

// askSlot reports whether an activation may begin at once; it is queued where
// not.
func (w *Worker) askSlot(in *instance) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.slots.Ask(in)
}

// freeSlot gives a slot back, or rather to the activation that is returned.
func (w *Worker) freeSlot() *instance {
	w.mu.Lock()
	defer w.mu.Unlock()
	next, _ := w.slots.Free()
	return next
}

// spawn runs f in a goroutine that Shutdown waits for, unless that has seen
// everything end.
func (w *Worker) spawn(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.work.Go(f)
	}
}

// shards calls f with every shard of every class.
func (w *Worker) shards(f func(*shard)) {
	for _, k := range *w.kinds.Load() {
		for i := range k.shards {
			f(&k.shards[i])
		}
	}
}
