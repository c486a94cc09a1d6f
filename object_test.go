package pinned_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
)

type room struct {
	pinned.Object

	topic string
}

var errBroken = errors.New("broken")

func TestObjectWorksWithoutAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &room{}
		if r.ID() != "" || r.Epoch() != 0 || r.Lease() != (pinned.Lease{Healthy: true}) || !r.Now().Equal(time.Now()) || r.Log() == nil {
			t.Error("what it knows of itself")
		}
		r.Abort(errBroken)
		if err := r.Turn(t.Context(), func(context.Context) error { r.topic = "Go"; return errBroken }); !errors.Is(err, errBroken) || r.topic != "Go" {
			t.Errorf("Turn: %v, %q", err, r.topic)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		done := make(chan error)
		r.Go(ctx, func(ctx context.Context) { done <- ctx.Err() })
		if err := <-done; err != nil {
			t.Errorf("the context of Go ended with %v", err)
		}
	})
}

func TestWaitsWorkWithoutATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		if err := pinned.Await(ctx, func(context.Context) error { return errBroken }); !errors.Is(err, errBroken) {
			t.Errorf("Await: %v", err)
		}
		began := time.Now()
		if err := pinned.Sleep(ctx, time.Hour); err != nil || time.Since(began) != time.Hour {
			t.Errorf("Sleep: %v after %v", err, time.Since(began))
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := pinned.Sleep(short, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Sleep with a short context: %v", err)
		}
		if err := pinned.Sleep(short, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Sleep with an ended context: %v", err)
		}

		if err := pinned.Parallel(ctx); err != nil {
			t.Errorf("Parallel of nothing: %v", err)
		}
		other := errors.New("other")
		err := pinned.Parallel(ctx,
			func(context.Context) error { return errBroken },
			func(context.Context) error { return other },
			func(context.Context) error { return nil })
		if !errors.Is(err, errBroken) || !errors.Is(err, other) {
			t.Errorf("Parallel: %v", err)
		}
	})
}

func TestAPanicInParallelReachesTheCallerOnceAllHaveReturned(t *testing.T) {
	returned := false
	defer func() {
		if v := recover(); v != "oh no" || !returned {
			t.Errorf("recovered %v, the other had returned: %v", v, returned)
		}
	}()
	release := make(chan struct{})
	_ = pinned.Parallel(t.Context(),
		func(context.Context) error { defer close(release); panic("oh no") },
		func(context.Context) error { <-release; returned = true; return nil })
	t.Error("Parallel returned")
}

func TestObjectImplementsNoHook(t *testing.T) {
	r := any(&room{})
	var has []string
	if _, ok := r.(pinned.Opener); ok {
		has = append(has, "Opener")
	}
	if _, ok := r.(pinned.Closer); ok {
		has = append(has, "Closer")
	}
	if _, ok := r.(pinned.Authorizer); ok {
		has = append(has, "Authorizer")
	}
	if _, ok := r.(pinned.Idler); ok {
		has = append(has, "Idler")
	}
	if _, ok := r.(pinned.Statser); ok {
		has = append(has, "Statser")
	}
	if has != nil {
		t.Errorf("an object without hooks has %s", strings.Join(has, ", "))
	}
	if _, ok := r.(pinned.Hosted); !ok {
		t.Error("it isn't Hosted")
	}
}
