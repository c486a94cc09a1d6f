package runtime

import (
	"context"
	"errors"
	"hash/maphash"
	"strings"
	"sync"

	"github.com/pinned-go/pinned/internal/core/directory"
	"github.com/pinned-go/pinned/internal/core/fence"
)

// shardCount spreads the ids of a class over locks. It is a power of two.
const shardCount = 64

// shard is a part of a class's directory.
type shard struct {
	mu   sync.Mutex
	dir  directory.Directory[instance]
	kind *kind
	_    [40]byte // so that the locks of two shards don't share a cache line
}

var hashSeed = maphash.MakeSeed()

func (k *kind) shard(id string) *shard {
	return &k.shards[maphash.String(hashSeed, id)%shardCount]
}

// refuse says why a request for an id is refused for reasons of residence,
// without activating anything. Nil: go on.
func (k *kind) refuse(id string) *refusal {
	m := k.w.member
	if !k.w.tight.Load() && (m == nil || m.accepts() == nil) {
		return nil
	}
	sh := k.shard(id)
	sh.mu.Lock()
	in := sh.dir.Find(id)
	sh.mu.Unlock()
	if in != nil {
		return nil
	}
	if r := refusedAdmission[k.w.would()]; r != nil || m == nil {
		return r
	}
	return m.accepts()
}

// activate returns the live instance of an id, with the request counted until
// done. Its error is a *refusal, an *activationError, or that of ctx. An
// activation that this request began goes on when ctx ends.
//
// In local mode nobody else could serve the id, so a request that meets an
// instance in its Close waits for the end of that and activates afresh; only
// when that takes longer than the wait for a slot is it refused as "closing".
func (k *kind) activate(ctx context.Context, id string) (*instance, error) {
	return k.activateAt(ctx, id, 0)
}

// activateAt is activate at a placement epoch. In a fleet, one below that of the resident
// instance is refused, and one above it is adopted first.
func (k *kind) activateAt(ctx context.Context, id string, epoch int64) (*instance, error) {
	sh := k.shard(id)
	fleet := k.w.member != nil && epoch != anyEpoch
	var wait patience
	defer wait.over()
	for {
		sh.mu.Lock()
		in, state := sh.dir.Arrive(id)
		if state == directory.Active {
			sh.mu.Unlock()
			if !fleet || in.epoch.Load() == epoch {
				return in, nil
			}
			again, err := in.meet(ctx, epoch)
			if err != nil || !again {
				return in, err
			}
			continue
		}
		if in != nil && fleet && state == directory.Closing && epoch <= in.epoch.Load() {
			sh.mu.Unlock()
			if e := in.ended.Load(); e != nil && errors.Is(e.err, errWoundDown) {
				return nil, refusedWindDown
			}
			return nil, refusedClosing // its release is on its way
		}
		created := in == nil
		if created {
			var err error
			if in, err = k.create(sh, id, epoch); err != nil {
				sh.mu.Unlock()
				return nil, err
			}
			state = directory.Activating
		}
		// Who waits for an activation sees how that one ends, however fast it is.
		change := in.changing()
		sh.mu.Unlock()
		if created {
			in.launch()
		}

		if err := wait.until(ctx, in, state, change); err != nil {
			return nil, err
		}
		if state != directory.Activating {
			continue
		}
		if failure := in.activationFailure(); failure != nil {
			return nil, failure
		}
	}
}

// create makes the record of an id that has none. The shard must be locked.
func (k *kind) create(sh *shard, id string, epoch int64) (*instance, error) {
	if m := k.w.member; m != nil {
		if epoch == anyEpoch {
			return nil, errNotResident
		}
		if r := m.passes(fence.Key{Namespace: k.namespace, ID: id}, epoch); r != nil {
			return nil, r
		}
		if r := m.accepts(); r != nil {
			return nil, r
		}
	}
	if r := refusedAdmission[k.w.admit()]; r != nil {
		return nil, r
	}
	in := &instance{shard: sh}
	in.epoch.Store(max(0, epoch))
	// The id is part of the request's URL, which an instance would keep alive.
	sh.dir.Create(strings.Clone(id), &in.rec, in)
	return in, nil
}

// enter is activate and then the turn: t holds it, unless the route is
// concurrent. A request whose instance ends while it waits in the line, so that
// none of its code ran, activates afresh. The caller ends with t.end and done.
func (k *kind) enter(ctx context.Context, id string, t *turn, concurrent bool) (*instance, error) {
	return k.enterAt(ctx, id, 0, t, concurrent)
}

// enterAt is enter at a placement epoch.
func (k *kind) enterAt(ctx context.Context, id string, epoch int64, t *turn, concurrent bool) (*instance, error) {
	for {
		in, err := k.activateAt(ctx, id, epoch)
		if err != nil {
			return nil, err
		}
		t.init(ctx, in)
		if concurrent {
			t.state.Store(outsideTurn)
		}
		err = t.acquire()
		if err == nil {
			return in, nil
		}
		t.end()
		in.done()
		if ctx.Err() != nil {
			return nil, err
		}
	}
}

// errNotResident is a call in process for an id that isn't resident any more: the
// pinboard must place it.
var errNotResident = errors.New("the id isn't resident")

// meet is a request, counted, that has another epoch than its resident instance: a lower
// one is refused, and a higher one adopted. again says that the instance has ended instead.
// Where it isn't nil or again, the request isn't counted any more.
func (in *instance) meet(ctx context.Context, epoch int64) (again bool, err error) {
	if epoch < in.epoch.Load() {
		in.done()
		return false, refusedStale
	}
	if err := in.adopt(ctx, epoch); err != nil {
		in.done()
		if ctx.Err() != nil {
			return false, err
		}
		return true, nil // another owner ran in between: it activates afresh
	}
	return false, nil
}
