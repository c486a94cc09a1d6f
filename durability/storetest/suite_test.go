package storetest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinned-go/pinned/durability"
)

// memory opens a store whose rows end with it.
func memory(testing.TB) func() durability.StateStore {
	m := durability.NewMemory()
	return func() durability.StateStore { return m }
}

func TestMemory(t *testing.T) { Run(t, memory) }

func TestSingleOperations(t *testing.T) {
	Run(t, func(t testing.TB) func() durability.StateStore {
		m := Single{durability.NewMemory()}
		return func() durability.StateStore { return m }
	})
}

// recorder is a testing.TB that notes whether a check failed.
type recorder struct {
	testing.TB

	ctx     context.Context //nolint:containedctx // that of the test it stands for
	mu      sync.Mutex
	failure string
	skipped bool
	cleanup []func()
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.ctx }
func (r *recorder) Cleanup(f func())         { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == "" {
		r.failure = fmt.Sprintf(format, args...)
	}
}
func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *recorder) FailNow()          { runtime.Goexit() }
func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure != ""
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skip(...any) {
	r.skipped = true
	runtime.Goexit()
}

// try runs a check, and returns how it failed.
func try(ctx context.Context, c check, open func() durability.StateStore) string {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &recorder{ctx: ctx}
	var wg sync.WaitGroup
	wg.Go(func() { c.do(r, open) })
	wg.Wait()
	for _, f := range r.cleanup {
		f()
	}
	return r.failure
}

// TestAFaultAtAnyOperation runs each check over a store of which one operation fails, for
// each operation and each fault.
func TestAFaultAtAnyOperation(t *testing.T) {
	for _, c := range checks {
		most := int64(40) // operations of the check that are tried
		if strings.HasPrefix(c.name, "documents/") {
			most = 8 // they are large
		}
		for _, single := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/single %v", c.name, single), func(t *testing.T) {
				t.Parallel()
				run := func(at int64, fault Fault) (operations int64, failure string) {
					var n atomic.Int64
					var store durability.StateStore = &Faulty{durability.NewMemory(), func(string, durability.Key) Fault {
						if n.Add(1) == at {
							return fault
						}
						return None
					}}
					if single {
						store = Single{store}
					}
					failure = try(t.Context(), c, func() durability.StateStore { return store })
					return n.Load(), failure
				}
				all, failure := run(0, None)
				if failure != "" {
					t.Fatal(failure)
				}
				for at := int64(1); at <= all; at += 1 + all/most {
					for _, fault := range []Fault{Refused, CommittedUnknown, LostUnknown, Locked} {
						if _, failure := run(at, fault); failure != "" {
							t.Errorf("operation %d of %d %s: %s", at, all, fault, failure)
						}
					}
				}
			})
		}
	}
}
