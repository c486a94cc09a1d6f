package pinned

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/pinned-go/pinned/internal/bind"
)

// feedRing is how many elements a feed keeps for those that are behind.
const feedRing = 1024

// ErrLagged ends a subscription that fell more than 1,024 elements behind.
var ErrLagged = errors.New("the subscriber fell behind the feed")

var errSubscriptionOver = errors.New("the subscription is over: subscribe again")

// Feed hands what is published to every subscriber, in memory. Publish never
// blocks: the elements are kept once, 1,024 of them, and each subscriber has its
// own place among them. The zero value works, and it is safe for concurrent
// use. It must not be copied.
//
// In an object with durable fields an element carries the gate of the turn that
// published it: what a subscriber sends of it waits until the writes behind it are
// durable (durability contract, section 3).
type Feed[T any] struct {
	_ noCopy

	gates bind.Gates // nil: the object keeps nothing durable

	mu          sync.Mutex
	next        uint64        // the number of the element that is published next, 0 in an empty ring
	origins     []int64       // the gates of the elements, in a ring like theirs; nil without gates
	ring        []T           // element n is at n % feedRing
	subscribers int           // while there is none, nothing is kept
	published   chan struct{} // closed at the next Publish; nil while nobody waits
}

// Publish hands v to all who have subscribed. It never blocks.
func (f *Feed[T]) Publish(v T) {
	var origin int64
	if f.gates != nil {
		origin = f.gates.Origin()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subscribers == 0 {
		return
	}
	if len(f.ring) < feedRing {
		f.ring = append(f.ring, v)
	} else {
		f.ring[f.next%feedRing] = v
	}
	if f.gates != nil {
		if len(f.origins) < feedRing {
			f.origins = append(f.origins, origin)
		} else {
			f.origins[f.next%feedRing] = origin
		}
	}
	f.next++
	if f.published != nil {
		close(f.published)
		f.published = nil
	}
}

// Subscribe gives what is published from this call on. The sequence may be
// ranged over once, and gives up the turn in ctx while it waits. It ends with the
// error of ctx when ctx ends, and with ErrLagged when its reader is more than
// 1,024 elements behind.
func (f *Feed[T]) Subscribe(ctx context.Context) iter.Seq2[T, error] {
	s := &subscription[T]{feed: f}
	f.mu.Lock()
	s.cursor = f.next
	f.subscribers++
	f.mu.Unlock()
	// One that is never ranged over leaves when its context ends.
	s.stop = context.AfterFunc(ctx, s.leave)

	return func(yield func(T, error) bool) {
		defer s.stop()
		defer s.leave()
		for {
			v, err := s.receive(ctx)
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// subscription is one reader's place in a feed.
type subscription[T any] struct {
	feed   *Feed[T]
	cursor uint64 // the number of the element that is read next
	left   bool   // guarded by feed.mu
	stop   func() bool
}

// receive waits for the next element.
func (s *subscription[T]) receive(ctx context.Context) (T, error) {
	var none T
	for {
		// Elements that were published before the end of ctx don't keep a reader
		// that has to go.
		if ctx.Err() != nil {
			return none, context.Cause(ctx)
		}
		v, origin, published, err := s.poll()
		if published == nil {
			if origin > 0 {
				s.feed.gates.Raise(ctx, origin)
			}
			return v, err
		}
		wait(ctx, published)
	}
}

// wait gives up the turn in ctx until something is published. It starts nothing
// outside, and so waits for no gate.
func wait(ctx context.Context, published <-chan struct{}) {
	if given := giveUp(ctx); given != nil {
		defer given.Retake()
	}
	select {
	case <-published:
	case <-ctx.Done():
	}
}

// poll returns the next element with its gate, or what is closed when there may be one.
func (s *subscription[T]) poll() (v T, origin int64, published <-chan struct{}, err error) {
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case s.left:
		return v, 0, nil, errSubscriptionOver
	case f.next-s.cursor > uint64(len(f.ring)):
		return v, 0, nil, ErrLagged
	case s.cursor < f.next:
		v = f.ring[s.cursor%feedRing]
		if f.origins != nil {
			origin = f.origins[s.cursor%feedRing]
		}
		s.cursor++
		return v, origin, nil, nil
	}
	if f.published == nil {
		f.published = make(chan struct{})
	}
	return v, 0, f.published, nil
}

// leave lets go of the ring once nobody reads it.
func (s *subscription[T]) leave() {
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.left {
		return
	}
	s.left = true
	f.subscribers--
	if f.subscribers == 0 {
		f.ring, f.origins, f.next = nil, nil, 0
	}
}

func (f *Feed[T]) bindGates(gates bind.Gates) { f.gates = gates }

func init() {
	bind.BindFeed = func(feed any, gates bind.Gates) error {
		f, ok := feed.(interface{ bindGates(gates bind.Gates) })
		if !ok {
			return fmt.Errorf("a %T is no feed", feed)
		}
		f.bindGates(gates)
		return nil
	}
}
