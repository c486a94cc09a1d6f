package runtime

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
)

// computesForLong is the author's, whose name the log must show.
//
//go:noinline
func computesForLong(d time.Duration) { pass(d) }

func TestATurnHeldForASecondIsLoggedOnceWithItsStack(t *testing.T) {
	for name, tc := range map[string]struct {
		handler func(ctx context.Context, b *box)
		logged  int
	}{
		"held": {func(context.Context, *box) { computesForLong(5 * time.Second) }, 1},
		"held after a yield": {func(ctx context.Context, _ *box) {
			_ = pinned.Sleep(ctx, 5*time.Second)
			computesForLong(1300 * time.Millisecond)
		}, 1},
		"held twice": {func(ctx context.Context, _ *box) {
			computesForLong(1300 * time.Millisecond)
			_ = pinned.Sleep(ctx, time.Second)
			computesForLong(1300 * time.Millisecond)
		}, 2},
		"held by background work": {func(ctx context.Context, b *box) {
			b.Go(ctx, func(context.Context) { computesForLong(5 * time.Second) })
		}, 1},
		"held by Turn": {func(ctx context.Context, b *box) {
			_ = pinned.Await(ctx, func(ctx context.Context) error {
				return b.Turn(ctx, func(context.Context) error { computesForLong(5 * time.Second); return nil })
			})
		}, 1},
		"yielding often": {func(ctx context.Context, _ *box) {
			for range 10 {
				computesForLong(900 * time.Millisecond)
				_ = pinned.Sleep(ctx, time.Nanosecond)
			}
		}, 0},
		"waiting": {func(ctx context.Context, _ *box) { _ = pinned.Sleep(ctx, time.Minute) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, &hooks{})
				if err := h.do(t.Context(), "one", tc.handler); err != nil {
					t.Error(err)
				}
				pass(10 * time.Second)
				synctest.Wait()
				logged := 0
				for line := range strings.Lines(h.log.String()) {
					if !strings.Contains(line, "a turn is held") {
						continue
					}
					logged++
					if !strings.Contains(line, `"namespace":"/boxes","id":"one"`) || !strings.Contains(line, "computesForLong") {
						t.Errorf("logged: %s", line)
					}
				}
				if logged != tc.logged {
					t.Errorf("logged %d times, not %d:\n%s", logged, tc.logged, h.log)
				}
			})
		})
	}
}

func TestHooksThatHoldTheirTurnAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{
			open:  func(context.Context, *box) error { computesForLong(2 * time.Second); return nil },
			close: func(context.Context, *box) error { computesForLong(2 * time.Second); return nil },
			idle:  func(context.Context, *box) bool { computesForLong(2 * time.Second); return true },
		}, WithIdleTimeout(10*time.Second))
		h.touch("one")
		pass(20 * time.Second)
		synctest.Wait()
		for _, hook := range []string{"(*box).Open", "(*box).Idle", "(*box).Close"} {
			if n := strings.Count(h.log.String(), hook); n == 0 {
				t.Errorf("%s isn't in the log:\n%s", hook, h.log)
			}
		}
	})
}
