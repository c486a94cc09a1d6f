package alarm

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

func set(t testing.TB, a *Alarms, name string, s Schedule) {
	t.Helper()
	if err := a.Set(name, s, nil, start); err != nil {
		t.Fatal(err)
	}
}

// due is what fires at a time, and how it ends.
func due(a *Alarms, now time.Time) (Firing, bool) {
	f, ok, _ := a.Start(now)
	return f, ok
}

func TestAnAlarmFiresOnceItIsDueAndIsGoneThen(t *testing.T) {
	for name, s := range map[string]Schedule{"at": {At: at(time.Minute)}, "after": {Delay: time.Minute}} {
		t.Run(name, func(t *testing.T) {
			var a Alarms
			set(t, &a, "x", s)
			if f, ok := due(&a, at(time.Minute-time.Millisecond)); ok {
				t.Fatalf("%+v fired early", f)
			}
			f, ok := due(&a, at(time.Minute))
			if !ok || f.Name != "x" || f.Attempt != 1 || !f.Due.Equal(at(time.Minute)) {
				t.Fatalf("%+v, %v", f, ok)
			}
			if _, ok := due(&a, at(time.Hour)); ok {
				t.Error("two run at once")
			}
			if given, changed := a.End(f, Result{}, at(time.Minute)); given || !changed || a.Len() != 0 || a.Doc() != nil {
				t.Error("it is still there")
			}
		})
	}
}

func TestATimeBetweenMillisecondsIsNeverEarly(t *testing.T) {
	var a Alarms
	set(t, &a, "x", Schedule{At: at(time.Nanosecond)})
	if next, _ := a.Next(); !next.Equal(at(time.Millisecond)) {
		t.Error(next)
	}
}

func TestAlarmsFireInTheOrderOfTheirTimes(t *testing.T) {
	var a Alarms
	set(t, &a, "c", Schedule{Delay: 2})
	set(t, &a, "b", Schedule{})
	set(t, &a, "a", Schedule{Delay: 2})
	var order string
	for {
		f, ok := due(&a, at(time.Second))
		if !ok {
			break
		}
		order += f.Name
		a.End(f, Result{}, at(time.Second))
	}
	if order != "bac" {
		t.Error(order)
	}
}

func TestWhatTheHandlerSetsSurvivesIt(t *testing.T) {
	for name, during := range map[string]func(a *Alarms){
		"set":       func(a *Alarms) { set(t, a, "x", Schedule{Delay: time.Hour}) },
		"cancelled": func(a *Alarms) { a.Cancel("x") },
	} {
		for _, err := range []error{nil, errors.New("failed")} {
			var a Alarms
			set(t, &a, "x", Schedule{})
			f, _ := due(&a, start)
			during(&a)
			if _, changed := a.End(f, Result{Err: err}, start); changed {
				t.Error(name, "the end changed it")
			}
			next, ok := a.Next()
			if ok != (name == "set") || ok && !next.Equal(at(time.Hour)) {
				t.Error(name, err, next, ok)
			}
		}
	}
}

func TestAFailingAlarmBacksOffAndStaysDue(t *testing.T) {
	var a Alarms
	set(t, &a, "x", Schedule{})
	now := start
	for i, want := range []float64{2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		f, ok := due(&a, now)
		if !ok || f.Attempt != i+1 || !f.Due.Equal(start) {
			t.Fatalf("%+v, %v", f, ok)
		}
		a.End(f, Result{Err: errors.New(strings.Repeat("é", 200))}, now)
		next, _ := a.Next()
		if next.Sub(now).Seconds() != want {
			t.Errorf("failure %d backs off %v", i+1, next.Sub(now))
		}
		now = next
	}
	info := a.List()[0]
	if info.Attempts != 10 || info.Failure != strings.Repeat("é", 128) {
		t.Errorf("%+v", info)
	}

	// One of ours doesn't count, and begins its own backoff.
	for _, want := range []float64{2, 4} {
		f, _ := due(&a, now)
		a.End(f, Result{Err: errors.New("the store is down"), Ours: true}, now)
		next, _ := a.Next()
		if next.Sub(now).Seconds() != want || a.List()[0].Attempts != 10 {
			t.Errorf("a failure of ours backs off %v: %+v", next.Sub(now), a.List()[0])
		}
		now = next
	}
	f, _ := due(&a, now)
	a.End(f, Result{Err: errors.New("x"), RetryAfter: time.Hour, Random: 1}, now)
	if next, _ := a.Next(); next.Sub(now) != time.Hour {
		t.Error("Retry-After doesn't win", next.Sub(now))
	}
	f, _ = due(&a, now.Add(time.Hour))
	a.End(f, Result{Err: errors.New("x"), Random: 1}, now)
	if next, _ := a.Next(); next.Sub(now) != longestBackoff/2 {
		t.Error("the most jitter leaves", next.Sub(now))
	}
}

func TestALimitGivesAnAlarmUp(t *testing.T) {
	var a Alarms
	set(t, &a, "once", Schedule{Limit: 2})
	set(t, &a, "periodic", Schedule{Every: time.Hour, Limit: 1})
	f, _ := due(&a, start)
	if given, _ := a.End(f, Result{Err: errors.New("x")}, start); given {
		t.Error("given up after one of two")
	}
	f, _ = due(&a, at(time.Minute))
	if given, _ := a.End(f, Result{Err: errors.New("x")}, at(time.Minute)); !given || a.Len() != 1 {
		t.Error("not given up")
	}
	f, _ = due(&a, at(time.Hour))
	if given, _ := a.End(f, Result{Err: errors.New("x")}, at(time.Hour)); !given {
		t.Error("not given up")
	}
	if next, _ := a.Next(); !next.Equal(at(2 * time.Hour)) {
		t.Error("the periodic one comes next", next)
	}
}

func TestPeriodicAlarmsAreAnchoredToTheirSchedule(t *testing.T) {
	late := 3*time.Hour + 30*time.Minute // two further times have passed
	for policy, want := range map[Missed]struct {
		fires  int
		missed int
		next   time.Duration
	}{
		"":   {1, 2, 4 * time.Hour},
		Once: {1, 2, 4 * time.Hour},
		Skip: {0, 0, 4 * time.Hour},
		All:  {3, 0, 4 * time.Hour},
	} {
		var a Alarms
		set(t, &a, "x", Schedule{Every: time.Hour, Missed: policy})
		fires := 0
		for {
			f, ok := due(&a, at(late))
			if !ok {
				break
			}
			if f.Missed != want.missed || !f.Due.Equal(at(time.Duration(fires+1)*time.Hour)) {
				t.Errorf("%s: %+v", policy, f)
			}
			fires++
			a.End(f, Result{}, at(late))
		}
		if next, _ := a.Next(); fires != want.fires || !next.Equal(at(want.next)) {
			t.Errorf("%s fired %d times, next after %v", policy, fires, next.Sub(start))
		}
	}
	var a Alarms // a failure moves neither the schedule nor is it skipped
	set(t, &a, "x", Schedule{Every: time.Hour, Missed: Skip})
	f, _ := due(&a, at(time.Hour))
	a.End(f, Result{Err: errors.New("x")}, at(time.Hour))
	f, ok := due(&a, at(5*time.Hour))
	if !ok || !f.Due.Equal(at(time.Hour)) {
		t.Fatal(f, ok)
	}
	a.End(f, Result{}, at(5*time.Hour))
	if next, _ := a.Next(); !next.Equal(at(6 * time.Hour)) {
		t.Error(next)
	}
}

func TestCronFollowsTheClockOfItsZone(t *testing.T) {
	for name, test := range map[string]struct {
		expr, zone string
		from       string
		want       []string
	}{
		"utc by default":              {"30 9 * * MON-FRI", "", "2026-03-06T12:00:00Z", []string{"2026-03-09T09:30:00Z", "2026-03-10T09:30:00Z"}},
		"a zone":                      {"0 8 * * *", "Asia/Tokyo", "2026-03-06T12:00:00Z", []string{"2026-03-06T23:00:00Z", "2026-03-07T23:00:00Z"}},
		"an hour that is skipped":     {"30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", []string{"2026-03-08T07:30:00Z", "2026-03-09T06:30:00Z"}},
		"an hour that comes twice":    {"30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", []string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"}},
		"each hour, of which two are": {"0 * * * *", "America/New_York", "2026-11-01T04:30:00Z", []string{"2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"}},
		"a day that is rare":          {"0 0 29 2 *", "", "2026-03-06T12:00:00Z", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			from, err := time.Parse(time.RFC3339, test.from)
			if err != nil {
				t.Fatal(err)
			}
			s := Schedule{Cron: test.expr, Zone: test.zone}
			next, err := s.first(from)
			for _, want := range test.want {
				if err != nil {
					t.Fatal(err)
				}
				if got := time.UnixMilli(next).UTC().Format(time.RFC3339); got != want {
					t.Fatalf("%s, want %s", got, want)
				}
				next, err = s.next(next)
			}
		})
	}
}

func TestSchedulesThatMakeNoSenseAreRefused(t *testing.T) {
	for want, s := range map[string]Schedule{
		"expected exactly 5 fields": {Cron: "* * * * * *"},
		"never comes":               {Cron: "0 0 30 2 *"},
		"above maximum":             {Cron: "61 * * * *"},
		"zone":                      {Cron: "TZ=UTC * * * * *"},
		"a period by Every":         {Cron: "@every 1s"},
		"isn't known here":          {Cron: "* * * * *", Zone: "Mars/Olympus"},
		"at least 1ms":              {Every: time.Microsecond},
		"a delay":                   {Delay: -1},
		"a period of -1ns":          {Every: -1},
		"a limit":                   {Limit: -1},
		"one of once":               {Every: time.Hour, Missed: "twice"},
	} {
		var a Alarms
		if err := a.Set("x", s, nil, start); err == nil || !strings.Contains(err.Error(), want) || a.Len() != 0 {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	var a Alarms
	for _, name := range []string{"", strings.Repeat("x", 257), "a\nb", "\xff"} {
		if err := a.Set(name, Schedule{}, nil, start); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := a.Set("x", Schedule{}, json.RawMessage(`{`), start); err == nil {
		t.Error("a payload that isn't JSON was taken")
	}
	for range Most {
		set(t, &a, "n"+strings.Repeat("x", a.Len()%200)+time.Duration(a.Len()).String(), Schedule{})
	}
	if err := a.Set("one more", Schedule{}, nil, start); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
	if err := a.Set(a.List()[0].Name, Schedule{}, nil, start); err != nil {
		t.Error("one that is there can't be set again:", err)
	}
}

func TestTheRowHoldsWhatTheContractSays(t *testing.T) {
	var a Alarms
	set(t, &a, "once", Schedule{Delay: time.Hour})
	if err := a.Set("daily", Schedule{Cron: "0 8 * * *", Zone: "Europe/Berlin", Missed: All}, json.RawMessage(`{"n":1}`), start); err != nil {
		t.Fatal(err)
	}
	set(t, &a, "often", Schedule{Every: time.Minute, Limit: 3})
	f, _ := due(&a, at(time.Minute))
	a.End(f, Result{Err: errors.New("no <answer>")}, at(time.Minute))

	var got, want any
	if err := json.Unmarshal(a.Doc(), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"due": 1772366462000, "alarms": {
		"once": {"due": 1772370000000},
		"daily": {"due": 1772434800000, "cron": "0 8 * * *", "zone": "Europe/Berlin", "missed": "all", "payload": {"n": 1}},
		"often": {"due": 1772366462000, "at": 1772366460000, "every": 60000, "limit": 3, "attempts": 1, "error": "no <answer>"}
	}}`), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	again, err := Parse(a.Doc())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(a.List(), again.List()); d != "" {
		t.Error(d)
	}
}

func TestRowsOfAnotherShapeAreRefusedAndLaterOnesKept(t *testing.T) {
	for _, doc := range []string{
		`[]`, `{}`, `{"due":1}`, `{"alarms":{}}`, `{"due":"1","alarms":{}}`, `{"due":1,"alarms":[]}`, `{"due":1,"alarms":{"x":1}}`,
		`{"due":1,"alarms":{"x":{}}}`, `{"due":1,"alarms":{"x":{"due":1.5}}}`, `{"due":1,"alarms":{"x":{"due":1,"cron":"x"}}}`,
		`{"due":1,"alarms":{"x":{"due":1,"attempts":-1}}}`,
	} {
		if _, err := Parse([]byte(doc)); err == nil {
			t.Errorf("%s was taken", doc)
		}
	}
	a, err := Parse([]byte(`{"due":1,"alarms":{"x":{"due":1,"later":[1]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(a.Doc()); got != `{"due":1,"alarms":{"x":{"due":1,"later":[1]}}}` {
		t.Error(got)
	}
}

// TestNoAlarmIsLostOrEarly drives alarms with random events, and restarts from the
// row.
func TestNoAlarmIsLostOrEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, now := &Alarms{}, start
		want := map[string]time.Time{} // of those that aren't periodic: not before
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
				d := time.Duration(rapid.IntRange(0, 10_000).Draw(t, "delay")) * time.Millisecond
				if err := a.Set(name, Schedule{Delay: d}, nil, now); err != nil {
					t.Fatal(err)
				}
				want[name] = now.Add(d)
			},
			"run": func(t *rapid.T) {
				f, ok := due(a, now)
				if !ok {
					for name, at := range want {
						if next, there := a.Next(); !there || !now.Before(at) && !next.After(now) {
							t.Fatalf("%s is due, and nothing fires", name)
						}
					}
					return
				}
				if now.Before(want[f.Name]) {
					t.Fatalf("%s fired early", f.Name)
				}
				if rapid.Bool().Draw(t, "fails") {
					a.End(f, Result{Err: errors.New("x"), Random: rapid.Float64Range(0, 1).Draw(t, "jitter")}, now)
					return
				}
				a.End(f, Result{}, now)
				delete(want, f.Name)
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(t, "ms")) * time.Millisecond)
			},
			"restart": func(t *rapid.T) {
				doc := a.Doc()
				a = &Alarms{}
				if doc != nil {
					var err error
					if a, err = Parse(doc); err != nil {
						t.Fatal(err)
					}
				}
			},
			"": func(t *rapid.T) {
				if a.Len() != len(want) {
					t.Fatalf("%d alarms, want %d", a.Len(), len(want))
				}
			},
		})
	})
}

func TestEveryMemberIsNamed(t *testing.T) {
	typ := reflect.TypeFor[stored]()
	if typ.NumField() != len(members) {
		t.Fatal("members isn't what stored has")
	}
	for i := range typ.NumField() {
		if name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); name != members[i] {
			t.Error(name, members[i])
		}
	}
}
