package runtime

import (
	"context"
	"fmt"
	"sync"

	"github.com/pinned-go/pinned/durability"
)

// storeHold is the worker's hold of its store: two workers in local mode would both
// write the same rows (durability contract, section 7).
type storeHold struct {
	mu      sync.Mutex
	held    bool
	release func() error
}

// takeStore takes the store, where it is one that can be held, once.
func (w *Worker) takeStore(ctx context.Context) error {
	if _, ok := w.store.(durability.Sweepable); w.takeover && !ok {
		return fmt.Errorf("start: WithTakeover takes a store that tells its epochs, and a %T isn't a durability.Sweepable", w.store)
	}
	store, ok := w.store.(durability.Exclusive)
	if !ok {
		return nil
	}
	w.hold.mu.Lock()
	defer w.hold.mu.Unlock()
	if w.hold.held {
		return nil
	}
	release, warning, err := store.Hold(ctx)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	w.hold.held, w.hold.release = true, release
	if warning != "" {
		w.logger.Warn("the hold of the store can't be relied on", "reason", clip(warning))
	}
	return nil
}

// releaseStore lets go of the store when nothing writes any more.
func (w *Worker) releaseStore() error {
	w.hold.mu.Lock()
	release := w.hold.release
	w.hold.release = nil
	w.hold.mu.Unlock()
	if release == nil {
		return nil
	}
	if err := release(); err != nil {
		return fmt.Errorf("shutdown: release the store: %w", err)
	}
	return nil
}
