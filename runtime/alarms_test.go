package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

// Bell is an object with an alarm.
type Bell struct {
	pinned.Object

	rang pinned.Value[int]
}

// tower is a worker with bells.
type tower struct {
	t      *testing.T
	store  *durability.Memory
	worker *runtime.Worker
	begin  time.Time
	call   func(ctx context.Context, b *Bell) error
	run    func(ctx context.Context, b *Bell, a pinned.Alarm) error

	mu   sync.Mutex
	rang []string // id, seconds, attempt, missed
}

func inTower(t *testing.T, f func(tw *tower)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tw := &tower{t: t, store: durability.NewMemory(), begin: time.Now()}
		tw.run = func(context.Context, *Bell, pinned.Alarm) error { return nil }
		tw.start()
		f(tw)
		tw.stop()
	})
}

func (tw *tower) start(opts ...runtime.Option) {
	tw.t.Helper()
	w, err := runtime.NewWorker(append([]runtime.Option{runtime.WithStore(tw.store)}, opts...)...)
	if err != nil {
		tw.t.Fatal(err)
	}
	runtime.Register(w, runtime.Class[Bell]{
		Name: "Bell", Namespace: "/bells",
		Base:    func(b *Bell) *pinned.Object { return &b.Object },
		Match:   func(string, string, *runtime.Args) int { return 0 },
		Durable: func(b *Bell, bd *runtime.Binder) { bd.Field("rang", &b.rang) },
		Alarms: []runtime.Alarm[Bell]{{Name: "ring", Run: func(b *Bell, ctx context.Context, a pinned.Alarm) error {
			tw.mu.Lock()
			tw.rang = append(tw.rang, fmt.Sprintf("%s@%v#%d+%d", b.ID(), time.Since(tw.begin).Truncate(time.Millisecond), a.Attempt, a.Missed))
			tw.mu.Unlock()
			return tw.run(ctx, b, a)
		}}},
		Routes: []runtime.Route[Bell]{{Method: "POST", Pattern: "/", Func: "Call", Serve: func(c *runtime.Call) {
			ctx, b, ok := runtime.Enter[Bell](c)
			if ok {
				c.AnswerNone(tw.call(ctx, b))
			}
		}}},
	})
	if err := w.Start(tw.t.Context()); err != nil {
		tw.t.Fatal(err)
	}
	tw.worker = w
}

func (tw *tower) stop() {
	tw.t.Helper()
	if err := tw.worker.Shutdown(context.Background()); err != nil {
		tw.t.Error(err)
	}
}

func (tw *tower) do(id string, f func(ctx context.Context, b *Bell) error) {
	tw.t.Helper()
	tw.call = f
	rec := httptest.NewRecorder()
	tw.worker.ServeHTTP(rec, httptest.NewRequestWithContext(tw.t.Context(), http.MethodPost, "/bells/"+id, nil))
	if rec.Code != http.StatusNoContent {
		tw.t.Fatalf("status %d", rec.Code)
	}
}

func (tw *tower) set(id string, when pinned.When) {
	tw.t.Helper()
	tw.do(id, func(ctx context.Context, b *Bell) error { return b.SetAlarm("ring", when).Wait(ctx) })
}

func (tw *tower) want(rang ...string) {
	tw.t.Helper()
	tw.mu.Lock()
	defer tw.mu.Unlock()
	if !slices.Equal(tw.rang, rang) {
		tw.t.Errorf("rang %v, want %v", tw.rang, rang)
	}
	tw.rang = nil
}

func TestAnAlarmOfAResidentRunsOnTime(t *testing.T) {
	inTower(t, func(tw *tower) {
		tw.set("a", pinned.After(time.Minute))
		tw.set("b", pinned.After(30*time.Second))
		later(time.Minute - time.Millisecond)
		tw.want("b@30s#1+0")
		later(time.Millisecond)
		tw.want("a@1m0s#1+0")
		tw.do("a", func(_ context.Context, b *Bell) error {
			if len(b.Alarms()) != 0 {
				t.Error("it is still set:", b.Alarms())
			}
			return nil
		})
	})
}

func TestAnAlarmOfAnEvictedInstanceRunsOnTime(t *testing.T) {
	inTower(t, func(tw *tower) {
		tw.set("a", pinned.After(time.Hour))
		later(59 * time.Minute)
		if n := len(tw.worker.Stats().Instances); n != 0 {
			t.Fatalf("%d are resident", n)
		}
		later(time.Minute)
		tw.want("a@1h0m0s#1+0")
	})
}

func TestAnAlarmOutlivesTheWorker(t *testing.T) {
	inTower(t, func(tw *tower) {
		tw.set("a", pinned.After(time.Hour))
		tw.set("b", pinned.After(3*time.Hour))
		tw.stop()
		later(2 * time.Hour)
		tw.want()
		tw.start()
		later(time.Minute)
		tw.want("a@2h0m0s#1+0")
		later(time.Hour)
		tw.want("b@3h0m0s#1+0")
	})
}

func TestAFailingAlarmBacksOffAndRunsAgain(t *testing.T) {
	inTower(t, func(tw *tower) {
		fails := 2
		tw.run = func(_ context.Context, b *Bell, _ pinned.Alarm) error {
			b.rang.Set(b.rang.Get() + 1)
			if fails--; fails >= 0 {
				return errors.New("no answer")
			}
			return nil
		}
		tw.set("a", pinned.After(time.Minute))
		later(time.Hour)
		tw.mu.Lock()
		defer tw.mu.Unlock()
		if len(tw.rang) != 3 || !strings.HasPrefix(tw.rang[0], "a@1m0s#1") || !strings.Contains(tw.rang[2], "#3") {
			t.Error(tw.rang)
		}
		tw.rang = nil
	})
}

func TestWhatAnAlarmsMethodSetsSurvives(t *testing.T) {
	inTower(t, func(tw *tower) {
		n := 0
		tw.run = func(_ context.Context, b *Bell, _ pinned.Alarm) error {
			if n++; n < 3 {
				b.SetAlarm("ring", pinned.After(time.Minute))
			}
			return nil
		}
		tw.set("a", pinned.After(time.Minute))
		later(time.Hour)
		tw.want("a@1m0s#1+0", "a@2m0s#1+0", "a@3m0s#1+0")
	})
}

func TestAPeriodicAlarmKeepsItsSchedule(t *testing.T) {
	inTower(t, func(tw *tower) {
		tw.run = func(ctx context.Context, _ *Bell, _ pinned.Alarm) error { return pinned.Sleep(ctx, 10*time.Second) }
		tw.set("a", pinned.Every(time.Minute))
		later(2*time.Minute + 30*time.Second)
		tw.want("a@1m0s#1+0", "a@2m0s#1+0")
		tw.stop()
		later(2 * time.Minute) // 3m and 4m pass by
		tw.start()
		later(40 * time.Second)
		tw.want("a@4m30s#1+1", "a@5m0s#1+0")
		tw.do("a", func(_ context.Context, b *Bell) error {
			b.CancelAlarm("ring")
			return nil
		})
		later(time.Hour)
		tw.want()
	})
}

func TestAPanicOfAnAlarmsMethodIsRunAgain(t *testing.T) {
	inTower(t, func(tw *tower) {
		first := true
		tw.run = func(context.Context, *Bell, pinned.Alarm) error {
			if first {
				first = false
				panic("broken")
			}
			return nil
		}
		tw.set("a", pinned.After(time.Minute))
		later(time.Hour)
		tw.want("a@1m0s#1+0", "a@1m1s#1+0")
	})
}

func TestAlarmsThatMakeNoSenseAreTheReceiptsError(t *testing.T) {
	inTower(t, func(tw *tower) {
		tw.do("a", func(ctx context.Context, b *Bell) error {
			for want, r := range map[string]pinned.Receipt{
				"no method":          b.SetAlarm("rang", pinned.After(time.Minute)),
				"can't be negative":  b.SetAlarm("ring", pinned.After(-1)),
				"at least 1ms":       b.SetAlarm("ring", pinned.Every(0)),
				"expected exactly 5": b.SetAlarm("ring", pinned.Cron("* *", "")),
				"empty":              b.SetAlarm("ring", pinned.Cron("", "")),
				"isn't known":        b.SetAlarm("ring", pinned.Cron("* * * * *", "Nowhere")),
				"256 KiB":            b.SetAlarm("ring", pinned.After(1), strings.Repeat("x", 300<<10)),
				"unsupported type":   b.SetAlarm("ring", pinned.After(1), func() {}),
				"one of once":        b.SetAlarm("ring", pinned.Every(time.Hour).Missed("never")),
				"a limit of -1":      b.SetAlarm("ring", pinned.Every(time.Hour).Limit(-1)),
			} {
				if err := r.Wait(ctx); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
			if len(b.Alarms()) != 0 {
				t.Error(b.Alarms())
			}
			return nil
		})
	})
}

func TestAnAlarmIsGatedLikeAnyWrite(t *testing.T) {
	inTower(t, func(tw *tower) {
		tw.stop()
		tw.start(runtime.WithStore(&delayed{Memory: tw.store, d: time.Second}))
		begin := time.Now()
		tw.do("a", func(_ context.Context, b *Bell) error {
			b.SetAlarm("ring", pinned.After(time.Hour))
			return nil
		})
		if took := time.Since(begin); took != time.Second {
			t.Errorf("answered after %v", took)
		}
	})
}

// delayed is a store whose batches take a while.
type delayed struct {
	*durability.Memory

	d time.Duration
}

func (s *delayed) ApplyAll(ctx context.Context, batches []durability.Batch) []error {
	<-time.After(s.d)
	return s.Memory.ApplyAll(ctx, batches)
}
