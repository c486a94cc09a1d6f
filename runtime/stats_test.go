package runtime

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned"
)

func TestStatsHaveTheShapeOfTheContract(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{stats: func(b *box) map[string]any {
			return map[string]any{"members": 3, "id": "not this", "bad": math.Inf(1), "a": []string{"x"}}
		}})
		h.touch("idle")
		activated := time.Now().UnixMilli()
		result := make(chan error, 1)
		go func() {
			result <- h.outside(t.Context(), "busy", func(ctx context.Context, b *box) {
				b.Go(ctx, func(ctx context.Context) { _ = pinned.Sleep(ctx, 10*time.Second) })
				pass(10 * time.Second)
			})
		}()
		pass(1500 * time.Millisecond)
		synctest.Wait()

		stats := h.w.Stats()
		stats.Process.RSS = 1 << 20
		text, err := json.Marshal(stats)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		row := func(id string, connections, tasks, idle float64, blocked ...any) any {
			return map[string]any{
				"namespace": "/boxes", "id": id, "connections": connections, "tasks": tasks, "idleMs": idle,
				"activatedAt": float64(activated), "epoch": 0.0, "blocked": append([]any{}, blocked...),
				"members": 3.0, "a": []any{"x"},
			}
		}
		want := map[string]any{
			"draining": false, "leaseFlaps": 0.0, "reregistrations": 0.0,
			"namespaces": map[string]any{
				"/boxes":  map[string]any{"activations": 2.0, "evictions": 0.0},
				"/plains": map[string]any{"activations": 0.0, "evictions": 0.0},
			},
			"instances": []any{row("busy", 1, 1, 0, "connections", "tasks"), row("idle", 0, 0, 1500)},
			"process":   map[string]any{"uptimeMs": 1500.0, "rssBytes": float64(1 << 20)},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if err := <-result; err != nil {
			t.Error(err)
		}
	})
}

func TestStatsWaitForTurnsASecondInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{stats: func(*box) map[string]any { return map[string]any{"n": 1} }})
		for _, id := range manyIDs(3) {
			h.background(t.Context(), id, func(context.Context, *box) { pass(time.Minute) })
		}
		h.touch("a") // its turn is free, and it comes first or not
		synctest.Wait()
		began := time.Now()
		stats := h.w.Stats()
		if d := time.Since(began); d != time.Second {
			t.Errorf("took %v", d)
		}
		if len(stats.Instances) != 4 {
			t.Errorf("%d rows", len(stats.Instances))
		}
		pass(time.Minute)
	})
}

func TestStatsAreNoUseOfAnInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{stats: func(*box) map[string]any { return nil }})
		h.touch("one")
		for range 34 {
			pass(10 * time.Second)
			h.w.Stats()
		}
		if h.residents() != 0 {
			t.Error("Stats kept the instance")
		}
	})
}

func TestStatsOfWhatBeginsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &hooks{
			open:  func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, time.Second) },
			close: func(ctx context.Context, _ *box) error { return pinned.Sleep(ctx, time.Second) },
		})
		blocked := func() []string {
			synctest.Wait()
			return h.w.Stats().Instances[0].Blocked
		}
		opening := h.background(t.Context(), "one", func(_ context.Context, b *box) { b.Abort(errBroken) })
		if diff := cmp.Diff([]string{"activating"}, blocked()); diff != "" {
			t.Error(diff)
		}
		wantAborted(t, <-opening)
		if diff := cmp.Diff([]string{"closing"}, blocked()); diff != "" {
			t.Error(diff)
		}
	})
}
