package runtime

import (
	"errors"
	"time"

	"github.com/pinned-go/pinned/internal/bind"
	"github.com/pinned-go/pinned/internal/core/fence"
	"github.com/pinned-go/pinned/internal/wire"
)

// windDown is the order to end an instance by a deadline.
type windDown struct {
	deadline time.Duration // as w.now
	stop     func() bool   // of its timer
}

// apply carries out a message of the pinboard: an instance is wound down, or that is
// revoked.
func (m *member) apply(msg wire.Message) {
	key := fence.Key{Namespace: msg.Namespace, ID: msg.ID}
	in := m.w.find(key)
	m.mu.Lock()
	if old := m.windDowns[key]; old != nil {
		old.stop()
		delete(m.windDowns, key)
	}
	if msg.Deadline != nil && in != nil {
		left := time.Duration(max(0, *msg.Deadline) * float64(time.Second))
		m.windDowns[key] = &windDown{m.w.now() + left, m.w.clock.AfterFunc(left, func() { m.overdue(key) })}
	}
	m.mu.Unlock()
	if in != nil {
		in.leave(msg.Deadline != nil)
	}
}

// overdue aborts an instance that was to end by now.
func (m *member) overdue(key fence.Key) {
	if in := m.w.find(key); in != nil {
		in.Abort(errWoundDown)
	}
}

// wound is the deadline of an instance's wind-down. It is false where there is none.
func (m *member) wound(key fence.Key) (deadline time.Duration, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.windDowns[key]; d != nil {
		return d.deadline, true
	}
	return 0, false
}

// forget drops the wind-down of an instance that has ended. mu must be held.
func (m *member) forget(key fence.Key) {
	if d := m.windDowns[key]; d != nil {
		d.stop()
		delete(m.windDowns, key)
	}
}

// setDrain takes the pinboard's drain of this worker, or its end. mu must be held.
func (m *member) setDrain(on bool, deadline *float64) {
	if m.drain.stop != nil {
		m.drain.stop()
		m.drain.stop = nil
	}
	changed := m.drain.on != on
	m.drain.on = on
	if on && deadline != nil {
		left := time.Duration(max(0, *deadline) * float64(time.Second))
		stop := m.w.clock.AfterFunc(left, func() {
			for _, in := range m.w.resident() {
				in.Abort(errWoundDown)
			}
		})
		m.drain.stop = func() { stop() }
	}
	if changed {
		m.w.spawn(func() {
			m.w.logger.Info("the pinboard drains the worker, or no longer does", "draining", on)
			for _, in := range m.w.resident() {
				in.leave(on)
			}
		})
	}
}

// find is the instance of a key, or nil.
func (w *Worker) find(key fence.Key) *instance {
	k := w.kind(key.Namespace)
	if k == nil {
		return nil
	}
	sh := k.shard(key.ID)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.dir.Find(key.ID)
}

// leave has an instance close as soon as nothing of it runs, or stay after all.
func (in *instance) leave(on bool) {
	sh := in.shard
	sh.mu.Lock()
	in.unlock(sh.dir.Leave(&in.rec, on))
}

// key names the instance.
func (in *instance) key() fence.Key {
	return fence.Key{Namespace: in.shard.kind.namespace, ID: in.rec.ID()}
}

// Lease is what the worker's lease and the pinboard's orders say of the instance. In local
// mode it is healthy and without expiry.
func (in *instance) Lease() bind.Lease {
	w := in.w()
	m := w.member
	if m == nil {
		return bind.Lease{Healthy: true}
	}
	s, now := m.view.Load(), w.now()
	l := bind.Lease{Healthy: now < s.healthy, Expiry: w.began.Add(s.until), WindingDown: s.draining}
	if deadline, ok := m.wound(in.key()); ok {
		l.WindingDown, l.EvictionDeadline = true, w.began.Add(deadline)
	}
	return l
}

// ended is an instance that isn't resident any more. Where it is woken again, it keeps its
// placement. The shard is locked.
func (m *member) ended(in *instance, again bool) {
	key, epoch := in.key(), in.epoch.Load()
	m.mu.Lock()
	m.forget(key)
	m.mu.Unlock()
	if !again {
		m.released(key, epoch, storedFence(in.ended.Load()))
	}
}

// gone reports whether an instance was ended for the fleet's sake, so that it is somebody
// else's to wake.
func (m *member) gone(e *ending) bool {
	for _, cause := range []error{errUnhealthy, errSuperseded, errDuplicate, errWoundDown} {
		if errors.Is(e.err, cause) {
			return true
		}
	}
	return m.view.Load().session == ""
}

// denied releases an id that was placed here for a request which its Authorize has refused,
// unless it is resident.
func (m *member) denied(key fence.Key, epoch int64) {
	if m.w.find(key) == nil {
		m.released(key, epoch, 0)
	}
}
