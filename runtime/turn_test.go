package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/bind"
)

func TestHandlersRunOneAtATime(t *testing.T) {
	h := newHost(t, &hooks{})
	const requests = 200
	var wg sync.WaitGroup
	for range requests {
		wg.Go(func() {
			err := h.do(t.Context(), "one", func(ctx context.Context, b *box) {
				b.turns++ // the race detector would see two of them here
				_ = pinned.Await(ctx, func(context.Context) error { return nil })
				b.turns++
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	_ = h.do(t.Context(), "one", func(_ context.Context, b *box) {
		if b.turns != 2*requests {
			t.Errorf("%d increments, not %d", b.turns, 2*requests)
		}
	})
}

func TestTurnsAreFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		release := make(chan struct{})
		first := h.background(t.Context(), "one", func(context.Context, *box) { <-release })
		synctest.Wait()
		var order []int
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				_ = h.do(t.Context(), "one", func(context.Context, *box) { order = append(order, i) })
			})
			synctest.Wait() // each is in the line before the next comes
		}
		close(release)
		wg.Wait()
		if err := <-first; err != nil {
			t.Error(err)
		}
		if !slices.IsSorted(order) || len(order) != 20 {
			t.Errorf("served in the order %v", order)
		}
	})
}

func TestARequestLeavesTheLineWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		release := make(chan struct{})
		holder := h.background(t.Context(), "one", func(context.Context, *box) { <-release })
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		ran := false
		waiting := h.background(ctx, "one", func(context.Context, *box) { ran = true })
		synctest.Wait()
		gone := errors.New("gone")
		cancel(gone)
		if err := <-waiting; !errors.Is(err, gone) {
			t.Errorf("left with %v", err)
		}
		close(release)
		if err := <-holder; err != nil {
			t.Error(err)
		}
		h.touch("one") // the turn isn't lost
		if ran {
			t.Error("the handler ran after its context had ended")
		}
	})
}

func TestAYieldComesBackWithTheTurn(t *testing.T) {
	for name, end := range map[string]bool{"context alive": false, "context ended": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, &hooks{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var inTurn, inAwait atomic.Int32
				enter := func() {
					if inTurn.Add(1) != 1 {
						t.Error("two turns at once")
					}
				}
				yielding := h.background(ctx, "one", func(ctx context.Context, b *box) {
					enter()
					inTurn.Add(-1)
					_ = pinned.Await(ctx, func(ctx context.Context) error {
						inAwait.Add(1)
						pass(time.Second)
						return nil
					})
					enter()
					pass(time.Second)
					inTurn.Add(-1)
				})
				synctest.Wait()
				if inAwait.Load() != 1 {
					t.Fatal("the Await hasn't begun")
				}
				other := h.background(t.Context(), "one", func(context.Context, *box) {
					enter()
					if end {
						cancel()
					}
					pass(5 * time.Second) // past the end of the Await
					inTurn.Add(-1)
				})
				if err := <-other; err != nil {
					t.Error(err)
				}
				if err := <-yielding; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAwaitHandsAContextWithoutTurn(t *testing.T) {
	h := newHost(t, &hooks{})
	_ = h.do(t.Context(), "one", func(ctx context.Context, b *box) {
		err := pinned.Await(ctx, func(inner context.Context) error {
			if given := bind.TurnIn(inner).GiveUp(); given != nil {
				t.Error("the context of Await gives up a turn")
			}
			// A turn can be had in there, since none is held.
			return b.Turn(inner, func(context.Context) error {
				b.turns++
				return nil
			})
		})
		if err != nil || b.turns != 1 {
			t.Errorf("Await: %v, with %d turns", err, b.turns)
		}
	})
}

func TestSleepYieldsForItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		began := time.Now()
		sleeping := h.background(t.Context(), "one", func(ctx context.Context, b *box) {
			if err := pinned.Sleep(ctx, time.Minute); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		h.touch("one") // while it sleeps
		if d := time.Since(began); d >= time.Minute {
			t.Errorf("the turn came after %v", d)
		}
		<-sleeping
		if d := time.Since(began); d != time.Minute {
			t.Errorf("slept for %v", d)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = h.do(ctx, "one", func(ctx context.Context, b *box) {
			if err := pinned.Sleep(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Sleep past the end of its context: %v", err)
			}
		})
	})
}

func TestParallelWaitsForAllAndJoinsTheirErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		one, two := errors.New("one"), errors.New("two")
		began := time.Now()
		_ = h.do(t.Context(), "one", func(ctx context.Context, b *box) {
			err := pinned.Parallel(ctx,
				func(context.Context) error { pass(2 * time.Second); return one },
				func(context.Context) error { pass(time.Second); return nil },
				func(context.Context) error { return two },
			)
			if !errors.Is(err, one) || !errors.Is(err, two) {
				t.Errorf("Parallel: %v", err)
			}
		})
		if d := time.Since(began); d != 2*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func TestConcurrentRoutesEnterTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		release := make(chan struct{})
		holder := h.background(t.Context(), "one", func(_ context.Context, b *box) {
			<-release
			b.turns++
		})
		synctest.Wait()
		result := make(chan error, 1)
		go func() {
			result <- h.outside(t.Context(), "one", func(ctx context.Context, b *box) {
				close(release) // it runs although the turn is held
				err := b.Turn(ctx, func(ctx context.Context) error {
					b.turns++
					// Inside a turn, it just runs.
					return b.Turn(ctx, func(context.Context) error { b.turns++; return nil })
				})
				if err != nil || b.turns != 3 {
					t.Errorf("Turn: %v, with %d turns", err, b.turns)
				}
				// A wait outside turns gives up nothing, and is no fault.
				_ = pinned.Await(ctx, func(context.Context) error { return nil })
			})
		}()
		if err := errors.Join(<-result, <-holder); err != nil {
			t.Error(err)
		}
	})
}

func TestTurnLeavesTheLineWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		_ = h.do(t.Context(), "one", func(_ context.Context, b *box) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			// ctx has no turn, so this waits for the one that the handler holds.
			err := b.Turn(ctx, func(context.Context) error { t.Error("it ran"); return nil })
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Turn: %v", err)
			}
		})
	})
}

func TestGivingUpATurnThatIsNotHeldPanicsInTests(t *testing.T) {
	h := newHost(t, &hooks{})
	_ = h.do(t.Context(), "one", func(ctx context.Context, b *box) {
		_ = pinned.Await(ctx, func(context.Context) error {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(v.(string), "isn't held") {
					t.Errorf("the outer context gave up a turn inside Await: %v", v)
				}
			}()
			return pinned.Await(ctx, func(context.Context) error { return nil })
		})
	})
}

func TestAForkYieldsOnTheHandlersContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{})
		var feed pinned.Feed[int]
		var got []int
		err := h.do(t.Context(), "one", func(ctx context.Context, b *box) {
			numbers := feed.Subscribe(ctx) // with the handler's context
			ended := bind.TurnIn(ctx).Fork(func(context.Context) {
				for n, err := range numbers {
					if err != nil {
						t.Error(err)
						return
					}
					b.turns++
					got = append(got, n)
					if n == 3 {
						return
					}
				}
			})
			for n := 1; n <= 3; n++ {
				b.turns++
				feed.Publish(n)
				if err := pinned.Sleep(ctx, time.Second); err != nil {
					t.Error(err)
				}
			}
			_ = pinned.Await(ctx, func(context.Context) error { <-ended; return nil })
		})
		if err != nil || !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestTheContextEndsWithParentInstanceAndHandler(t *testing.T) {
	cause := errors.New("enough")
	for name, tc := range map[string]struct {
		end  func(cancel context.CancelCauseFunc, b *box)
		want error
	}{
		"parent":   {func(cancel context.CancelCauseFunc, _ *box) { cancel(cause) }, cause},
		"instance": {func(_ context.CancelCauseFunc, b *box) { b.Abort(cause) }, cause},
		"handler":  {func(context.CancelCauseFunc, *box) {}, errFinished},
	} {
		for asked, ask := range map[string]func(context.Context){
			"Done asked before":    func(ctx context.Context) { _ = ctx.Done() },
			"nothing asked before": func(context.Context) {},
		} {
			t.Run(name+", "+asked, func(t *testing.T) {
				h := newHost(t, &hooks{})
				parent, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				var kept context.Context
				_ = h.do(parent, "one", func(ctx context.Context, b *box) {
					kept = ctx
					ask(ctx)
					if err := ctx.Err(); err != nil {
						t.Errorf("ended at the beginning: %v", err)
					}
					tc.end(cancel, b)
				})
				receive(t, "the end", kept.Done())
				if err := kept.Err(); !errors.Is(err, context.Canceled) {
					t.Errorf("Err is %v", err)
				}
				if err := context.Cause(kept); !errors.Is(err, tc.want) {
					t.Errorf("Cause is %v, not %v", err, tc.want)
				}
			})
		}
	}
}

func TestDerivedContextsLetGo(t *testing.T) {
	h := newHost(t, &hooks{})
	parent, cancel := context.WithCancel(t.Context())
	defer cancel()
	var in *instance
	for range 100 {
		_ = h.do(parent, "one", func(ctx context.Context, b *box) {
			in = ctx.(*turn).in
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			_ = context.AfterFunc(ctx, func() {})
			if child.Err() != nil || in.open == nil || in.open.next != nil {
				t.Errorf("%v, with the open contexts %v", child.Err(), in.open)
			}
		})
		if in.open != nil {
			t.Fatal("a context is open after the handler")
		}
	}
	// goleak finds a goroutine that waits for one of them.
}

func TestTheTurnIsNotLostWhenAContextEndsAsItComes(t *testing.T) {
	h := newHost(t, &hooks{})
	in, err := h.boxes.activate(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	defer in.done()
	for range 5000 {
		holder := newTurn(t.Context(), in)
		if err := holder.acquire(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		waiter := newTurn(ctx, in)
		left := make(chan struct{})
		go func() {
			defer close(left)
			if waiter.acquire() == nil {
				waiter.release()
			}
		}()
		for waiting := false; !waiting; {
			in.mu.Lock()
			waiting = in.line.Waiting()
			in.mu.Unlock()
		}
		go cancel()
		holder.release()
		receive(t, "the waiter", left)
		if in.line.Held() {
			t.Fatal("the turn is held by nobody")
		}
	}
}
