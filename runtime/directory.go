package runtime

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"

	"github.com/pinned-go/pinned/internal/core/directory"
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
	if !k.w.tight.Load() {
		return nil
	}
	sh := k.shard(id)
	sh.mu.Lock()
	in := sh.dir.Find(id)
	sh.mu.Unlock()
	if in != nil {
		return nil
	}
	return refusedAdmission[k.w.would()]
}

// activate returns the live instance of an id, with the request counted until
// done. Its error is a *refusal, an *activationError, or that of ctx. An
// activation that this request began goes on when ctx ends.
//
// In local mode nobody else could serve the id, so a request that meets an
// instance in its Close waits for the end of that and activates afresh; only
// when that takes longer than the wait for a slot is it refused as "closing".
func (k *kind) activate(ctx context.Context, id string) (*instance, error) {
	sh := k.shard(id)
	var wait patience
	defer wait.over()
	for {
		sh.mu.Lock()
		in, state := sh.dir.Arrive(id)
		if state == directory.Active {
			sh.mu.Unlock()
			return in, nil
		}
		created := in == nil
		if created {
			var err error
			if in, err = k.create(sh, id); err != nil {
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
func (k *kind) create(sh *shard, id string) (*instance, error) {
	if r := refusedAdmission[k.w.admit()]; r != nil {
		return nil, r
	}
	in := &instance{shard: sh}
	// The id is part of the request's URL, which an instance would keep alive.
	sh.dir.Create(strings.Clone(id), &in.rec, in)
	return in, nil
}

// enter is activate and then the turn: t holds it, unless the route is
// concurrent. A request whose instance ends while it waits in the line, so that
// none of its code ran, activates afresh. The caller ends with t.end and done.
func (k *kind) enter(ctx context.Context, id string, t *turn, concurrent bool) (*instance, error) {
	for {
		in, err := k.activate(ctx, id)
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
