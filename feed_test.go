package pinned_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/pinned-go/pinned"
)

// take reads n elements, or up to an error.
func take[T any](seq iter.Seq2[T, error], n int) (got []T, err error) {
	for v, err := range seq {
		if err != nil {
			return got, err
		}
		if got = append(got, v); len(got) == n {
			return got, nil
		}
	}
	return got, nil
}

func TestFeedReachesEverySubscriberFromItsSubscription(t *testing.T) {
	var feed pinned.Feed[int]
	feed.Publish(1)
	early := feed.Subscribe(t.Context())
	feed.Publish(2)
	late := feed.Subscribe(t.Context()) // from when it is called, not ranged over
	feed.Publish(3)
	feed.Publish(4)
	if got, err := take(early, 3); err != nil || !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("the early one got %v, %v", got, err)
	}
	if got, err := take(late, 2); err != nil || !slices.Equal(got, []int{3, 4}) {
		t.Errorf("the late one got %v, %v", got, err)
	}
}

func TestFeedWaitsForWhatIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var feed pinned.Feed[int]
		var wg sync.WaitGroup
		for range 10 {
			numbers := feed.Subscribe(t.Context())
			wg.Go(func() {
				if got, err := take(numbers, 3); err != nil || !slices.Equal(got, []int{0, 1, 2}) {
					t.Errorf("got %v, %v", got, err)
				}
			})
		}
		for n := range 3 {
			synctest.Wait()
			feed.Publish(n)
		}
		wg.Wait()
	})
}

func TestFeedTellsWhoFallsBehind(t *testing.T) {
	const ring = 1024
	var feed pinned.Feed[int]
	slow, slower := feed.Subscribe(t.Context()), feed.Subscribe(t.Context())
	for n := range ring {
		feed.Publish(n)
	}
	if got, err := take(slow, ring); err != nil || len(got) != ring || got[ring-1] != ring-1 {
		t.Errorf("one that is 1,024 behind got %d elements, %v", len(got), err)
	}
	feed.Publish(ring)
	if got, err := take(slower, 1); !errors.Is(err, pinned.ErrLagged) || len(got) != 0 {
		t.Errorf("one that is 1,025 behind got %v, %v", got, err)
	}
	if got, err := take(slower, 1); err == nil {
		t.Errorf("a subscription that is over gave %v", got)
	}
}

func TestFeedGoesRoundItsRing(t *testing.T) {
	var feed pinned.Feed[int]
	next, stop := iter.Pull2(feed.Subscribe(t.Context()))
	defer stop()
	for n := range 5000 {
		feed.Publish(n)
		if v, err, ok := next(); !ok || err != nil || v != n {
			t.Fatalf("element %d is %v, %v, %v", n, v, err, ok)
		}
	}
}

func TestFeedStartsAgainAfterItsLastSubscriber(t *testing.T) {
	var feed pinned.Feed[int]
	for round := range 3 {
		numbers := feed.Subscribe(t.Context())
		for n := range 700 {
			feed.Publish(round*1000 + n)
		}
		if got, err := take(numbers, 700); err != nil || got[0] != round*1000 || got[699] != round*1000+699 {
			t.Errorf("round %d: %v, %v", round, got, err)
		}
		feed.Publish(-1) // to nobody
	}
}

func TestASubscriptionEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var feed pinned.Feed[int]
		ctx, cancel := context.WithCancelCause(t.Context())
		numbers := feed.Subscribe(ctx)
		_ = feed.Subscribe(ctx) // never ranged over
		feed.Publish(1)
		ended := make(chan error)
		go func() {
			got, err := take(numbers, 2)
			if !slices.Equal(got, []int{1}) {
				t.Errorf("got %v", got)
			}
			ended <- err
		}()
		synctest.Wait()
		cancel(errBroken)
		if err := <-ended; !errors.Is(err, errBroken) {
			t.Errorf("ended with %v", err)
		}
	})
}
