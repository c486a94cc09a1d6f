package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/runtime"
)

func addTo(n ...int) func(ctx context.Context, p *Post) error {
	return func(ctx context.Context, p *Post) error {
		m, err := p.mail.Get(ctx)
		if err != nil {
			return err
		}
		for _, n := range n {
			m.Add(Letter{N: n})
		}
		return nil
	}
}

func TestATrayDeliversInOrderAndRests(t *testing.T) {
	inOffice(t, func(o *office) {
		o.start()
		o.do(addTo(1, 2))
		synctest.Wait()
		o.want("mail:1#1", "mail:2#1")
		o.wantRows(`jobs/~{} mail/~{}`)
	})
}

func TestJobsNeedNoTrayType(t *testing.T) {
	inOffice(t, func(o *office) {
		o.start()
		o.do(func(_ context.Context, p *Post) error {
			p.jobs.Append(Letter{N: 1}, Letter{N: 2})
			if p.jobs.Len() != 2 {
				t.Error(p.jobs.Len())
			}
			return nil
		})
		synctest.Wait()
		o.want("jobs:1#1", "jobs:2#1")
		o.wantRows(`jobs/~{}`)
	})
}

func TestWorkIsMarkedAndResumedByTheNextWorker(t *testing.T) {
	inOffice(t, func(o *office) {
		hang := make(chan struct{})
		o.on = func(ctx context.Context, p *Post, _ string, l Letter, d *pinned.Dispatch) error {
			if l.N == 1 && d.Attempt() == 1 {
				d.SetState(map[string]int{"at": 1})
				return pinned.Await(ctx, func(ctx context.Context) error {
					select {
					case <-hang:
					case <-ctx.Done():
					}
					return ctx.Err()
				})
			}
			var state map[string]int
			if ok, err := d.State(&state); l.N == 1 && (!ok || err != nil || state["at"] != 1) {
				t.Error(ok, err, state)
			}
			return nil
		}
		o.start()
		o.do(addTo(1, 2))
		synctest.Wait()
		o.wantRows(`jobs/~{} mail/~!{"queue":[{"n":1},{"n":2}],"~attempts":1,"~state":{"at":1}}`)
		// The process dies: what it leaves is what a copy of the store has now.
		m, _ := o.store.(*durability.Memory)
		dead := m.Clone()
		close(hang)
		synctest.Wait()
		o.stop()
		o.want("mail:1#1", "mail:2#1")

		o.store = dead
		o.start()
		o.do(func(context.Context, *Post) error { return nil })
		synctest.Wait()
		o.want("mail:1#2*", "mail:2#1")
		o.wantRows(`jobs/~{} mail/~{}`)
	})
}

func TestAnErrorDeliversAgainInPlaceAndParks(t *testing.T) {
	inOffice(t, func(o *office) {
		o.options.Attempts = 3
		fails := true
		o.on = func(context.Context, *Post, string, Letter, *pinned.Dispatch) error {
			if fails {
				return errors.New("no answer")
			}
			return nil
		}
		o.start()
		begin := time.Now()
		o.do(addTo(1))
		later(time.Minute)
		o.want("mail:1#1", "mail:1#2", "mail:1#3")
		o.wantRows(`jobs/~{} mail/~!{"queue":[{"n":1}],"~attempts":3,"~parked":true}`)
		if time.Since(begin) < time.Minute {
			t.Error("no backoff")
		}
		fails = false
		o.do(func(ctx context.Context, p *Post) error {
			m, err := p.mail.Get(ctx)
			if err != nil || !m.Parked() {
				t.Error("not parked", err)
			}
			return m.Unpark().Wait(ctx)
		})
		synctest.Wait()
		o.want("mail:1#1")
		o.wantRows(`jobs/~{} mail/~{}`)
	})
}

func TestRetryAfterOfAnErrorWins(t *testing.T) {
	inOffice(t, func(o *office) {
		o.on = func(_ context.Context, _ *Post, _ string, _ Letter, d *pinned.Dispatch) error {
			if d.Attempt() == 1 {
				return fmt.Errorf("wrapped: %w", &pinned.Error{Status: 503, RetryAfter: time.Hour})
			}
			return nil
		}
		o.start()
		o.do(addTo(1))
		later(time.Hour - time.Second)
		o.want("mail:1#1")
		later(2 * time.Second)
		o.want("mail:1#2")
	})
}

func TestAPanicAbortsAndTheItemIsRedelivered(t *testing.T) {
	inOffice(t, func(o *office) {
		o.on = func(_ context.Context, p *Post, _ string, _ Letter, d *pinned.Dispatch) error {
			p.count.Set(d.Attempt())
			if d.Attempt() == 1 {
				panic("broken")
			}
			return nil
		}
		o.start()
		o.calls["f"] = addTo(1)
		o.call("f")        // 204, or 503 where the abort came first
		later(time.Second) // the worker itself activates the post again
		o.want("mail:1#1", "mail:1#2")
		o.wantRows(`jobs/~{} mail/~{} pinned/object{"count":2}`)
	})
}

func TestADeliveryHasItsTime(t *testing.T) {
	inOffice(t, func(o *office) {
		o.options.Timeout = time.Minute
		o.on = func(ctx context.Context, _ *Post, _ string, _ Letter, d *pinned.Dispatch) error {
			if d.Attempt() == 1 {
				return pinned.Sleep(ctx, time.Hour)
			}
			return nil
		}
		o.start()
		o.do(addTo(1))
		later(2 * time.Minute)
		o.want("mail:1#1", "mail:1#2")
	})
}

func TestKeyedTraysCloseWhenDryAndOpenAgain(t *testing.T) {
	inOffice(t, func(o *office) {
		o.start()
		box := func(key string, n int) func(ctx context.Context, p *Post) error {
			return func(ctx context.Context, p *Post) error {
				b, err := p.boxes.Get(ctx, key)
				if err != nil {
					return err
				}
				b.sent.Update(func(s *[]int) { *s = append(*s, n) })
				return b.Add(Letter{N: n}).Wait(ctx)
			}
		}
		for i, key := range []string{"x", "y", "x"} {
			o.do(box(key, i+1))
			synctest.Wait()
		}
		o.want("boxes:1#1", "boxes:2#1", "boxes:3#1")
		o.wantRows(`boxes/x{"sent":[1,3]} boxes/y{"sent":[2]} jobs/~{}`)
		o.do(func(ctx context.Context, p *Post) error {
			if b, err := p.boxes.Find(ctx, "z"); b != nil || err != nil {
				t.Error("a tray that nobody made:", b, err)
			}
			b, err := p.boxes.Find(ctx, "y")
			if err != nil || b.Key() != "y" {
				t.Error(err)
			}
			return b.Delete(ctx)
		})
		o.wantRows(`boxes/x{"sent":[1,3]} jobs/~{}`)
		o.do(func(ctx context.Context, p *Post) error {
			b, err := p.boxes.Get(ctx, "y")
			if err != nil || b.sent.Get() != nil {
				t.Error("a deleted tray has kept something", err)
			}
			return nil
		})
	})
}

func TestADeletionWaitsForTheDelivery(t *testing.T) {
	inOffice(t, func(o *office) {
		o.on = func(ctx context.Context, p *Post, _ string, l Letter, _ *pinned.Dispatch) error {
			return pinned.Sleep(ctx, time.Minute)
		}
		o.start()
		o.do(addTo(1, 2))
		synctest.Wait()
		begin := time.Now()
		o.do(func(ctx context.Context, p *Post) error {
			m, err := p.mail.Get(ctx)
			if err != nil {
				return err
			}
			return m.Delete(ctx)
		})
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("deleted after %v", took)
		}
		o.want("mail:1#1")
		o.wantRows(`jobs/~{}`)
	})
}

func TestACancelledDeliveryIsDone(t *testing.T) {
	inOffice(t, func(o *office) {
		o.on = func(ctx context.Context, _ *Post, _ string, l Letter, _ *pinned.Dispatch) error {
			if l.N == 1 {
				return pinned.Sleep(ctx, time.Hour)
			}
			return nil
		}
		o.start()
		o.do(addTo(1, 2))
		synctest.Wait()
		o.do(func(ctx context.Context, p *Post) error {
			m, err := p.mail.Get(ctx)
			if err != nil {
				return err
			}
			epoch := m.Running()
			var e *pinned.Error
			if err := m.Stop(epoch + 1); !errors.As(err, &e) || e.Code != "wrong-state" {
				t.Error("another run was stopped:", err)
			}
			return m.Stop(epoch)
		})
		synctest.Wait()
		o.want("mail:1#1", "mail:2#1")
		o.wantRows(`jobs/~{} mail/~{}`)
	})
}

func TestCancelledBetweenTwoAttemptsADeliveryIsDone(t *testing.T) {
	inOffice(t, func(o *office) {
		o.on = func(_ context.Context, _ *Post, _ string, l Letter, _ *pinned.Dispatch) error {
			if l.N == 1 {
				return errors.New("not now")
			}
			return nil
		}
		o.start()
		o.do(addTo(1, 2))
		synctest.Wait()
		o.do(func(ctx context.Context, p *Post) error {
			m, err := p.mail.Get(ctx)
			if err != nil {
				return err
			}
			if !m.CancelDispatch() {
				t.Error("there was nothing to cancel")
			}
			return nil
		})
		synctest.Wait()
		o.want("mail:1#1", "mail:2#1")
		o.wantRows(`jobs/~{} mail/~{}`)
	})
}

func TestTakesPresentThemselvesAgainUntilTheAcknowledgement(t *testing.T) {
	inOffice(t, func(o *office) {
		o.on = func(ctx context.Context, p *Post, _ string, _ Letter, d *pinned.Dispatch) error {
			m, err := p.mail.Get(ctx)
			if err != nil {
				return err
			}
			took := m.steer.TakeNow(2)
			last, err := m.steer.Take(ctx) // it comes later
			if err != nil {
				return err
			}
			took = append(took, last)
			if took[0].N != 10 || took[1].N != 11 || took[2].N != 12 {
				t.Errorf("took %v", took)
			}
			if d.Attempt() == 1 {
				return errors.New("again")
			}
			return nil
		}
		o.start()
		o.do(func(ctx context.Context, p *Post) error {
			m, err := p.mail.Get(ctx)
			if err != nil {
				return err
			}
			m.steer.Append(Letter{N: 10}, Letter{N: 11})
			m.Add(Letter{N: 1})
			if m.steer.TakeNow(1) != nil {
				t.Error("taken without a dispatch")
			}
			return nil
		})
		synctest.Wait()
		o.wantRows(`jobs/~{} mail/~!{"steer":{"taken":[{"n":10},{"n":11}]},"queue":[{"n":1}],"~attempts":1}`)
		o.do(func(ctx context.Context, p *Post) error {
			m, err := p.mail.Get(ctx)
			if err != nil {
				return err
			}
			return m.steer.Append(Letter{N: 12}).Wait(ctx)
		})
		later(time.Minute)
		o.want("mail:1#1", "mail:1#2*")
		o.wantRows(`jobs/~{} mail/~{}`)
	})
}

func TestAKeyedAdmissionLandsOnce(t *testing.T) {
	inOffice(t, func(o *office) {
		o.on = func(ctx context.Context, p *Post, field string, l Letter, d *pinned.Dispatch) error {
			if field != "relay" {
				return nil
			}
			m, err := p.mail.Get(ctx)
			if err != nil {
				return err
			}
			outcome, err := d.Admit(ctx, m.AddAs(fmt.Sprint("r", l.N), Letter{N: l.N + 100}))
			if err != nil || outcome != pinned.WasAdmitted {
				t.Error(outcome, err)
			}
			if d.Attempt() == 1 {
				return errors.New("again")
			}
			return nil
		}
		o.start()
		o.do(func(ctx context.Context, p *Post) error {
			r, err := p.relay.Get(ctx)
			if err != nil {
				return err
			}
			return r.Add(Letter{N: 1}).Wait(ctx)
		})
		later(time.Minute)
		o.want("relay:1#1", "mail:101#1", "relay:1#2")
		o.wantRows(`jobs/~{} mail/~{} relay/~{}`)
	})
}

func TestMalformedRowsFailTheActivation(t *testing.T) {
	for name, row := range map[string]struct {
		tray durability.Tray
		doc  string
		want string
	}{
		"a queue":            {durability.Tray{Namespace: "mail", ID: "~"}, `{"queue":{"x":1}}`, `row ("mail", "~"), entry "queue"`},
		"attempts":           {durability.Tray{Namespace: "mail", ID: "~"}, `{"~attempts":0}`, `row ("mail", "~"): entry "~attempts"`},
		"a version":          {durability.Tray{Namespace: "mail", ID: "~"}, `{"~v":"x"}`, `entry "~v"`},
		"a singleton's id":   {durability.Tray{Namespace: "mail", ID: "x"}, `{}`, `row ("mail", "x")`},
		"a row of no tray":   {durability.Tray{Namespace: "gone", ID: "~"}, `{}`, `row ("gone", "~")`},
		"a value":            {durability.Tray{Namespace: "mail", ID: "~"}, `{"sent":"x"}`, `entry "sent"`},
		"an object's value":  {durability.Tray{Namespace: "pinned", ID: "object"}, `{"count":"x"}`, `row ("pinned", "object"), entry "count"`},
		"an item of a queue": {durability.Tray{Namespace: "boxes", ID: "k"}, `{"queue":[{"n":"x"}]}`, `row ("boxes", "k"), entry "queue": item 0`},
	} {
		t.Run(name, func(t *testing.T) {
			inOffice(t, func(o *office) {
				m, _ := o.store.(*durability.Memory)
				marked := row.tray.Namespace != "pinned"
				if err := m.Put(t.Context(), durability.Key{Namespace: "/posts", ID: "a"}, 0, row.tray, durability.Row{Marked: marked, Doc: []byte(row.doc)}); err != nil {
					t.Fatal(err)
				}
				log := &lines{}
				before := o.rows()
				o.start(runtime.WithLogger(logTo(log)))
				o.calls["f"] = func(context.Context, *Post) error { return nil }
				if status := o.call("f"); status != http.StatusInternalServerError {
					t.Errorf("status %d", status)
				}
				var line struct{ Error string }
				if err := json.Unmarshal([]byte(strings.SplitN(log.String(), "\n", 2)[0]), &line); err != nil || !strings.Contains(line.Error, row.want) {
					t.Errorf("%v: %s, want %q in it", err, log, row.want)
				}
				o.wantRows(before)
			})
		})
	}
}

func TestRowsOfAnotherVersionAreMigratedOrBlank(t *testing.T) {
	for name, test := range map[string]struct {
		doc     string
		marked  bool
		migrate bool
		want    string
		items   []string
	}{
		"blank":            {`{"~v":1,"queue":[{"n":1}],"sent":[7]}`, false, false, `jobs/~{"~v":2} mail/~{"~v":1,"queue":[{"n":1}],"sent":[7]}`, nil},
		"blank and marked": {`{"~v":1,"queue":[{"n":1}]}`, true, false, `jobs/~{"~v":2} mail/~{"~v":2}`, nil},
		"migrated":         {`{"~v":1,"letters":[{"n":1}]}`, true, true, `jobs/~{"~v":2} mail/~{"kept":true,"~v":2}`, []string{"mail:1#1"}},
		"of a later one":   {`{"~v":3,"queue":[{"n":1}]}`, true, true, `jobs/~{"~v":2} mail/~{"~v":2}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inOffice(t, func(o *office) {
				m, _ := o.store.(*durability.Memory)
				if err := m.Put(t.Context(), durability.Key{Namespace: "/posts", ID: "a"}, 0, durability.Tray{Namespace: "mail", ID: "~"},
					durability.Row{Marked: test.marked, Doc: []byte(test.doc)}); err != nil {
					t.Fatal(err)
				}
				o.options.Version = 2
				if test.migrate {
					o.extra = append(o.extra, runtime.Migrate[Mail](1, func(doc map[string]json.RawMessage) (map[string]json.RawMessage, error) {
						doc["queue"], doc["kept"] = doc["letters"], json.RawMessage("true")
						delete(doc, "letters")
						return doc, nil
					}))
				}
				o.start()
				o.do(func(context.Context, *Post) error { return nil })
				synctest.Wait()
				o.want(test.items...)
				o.wantRows(test.want)
			})
		})
	}
}
