package choice_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pinned-go/pinned/internal/core/choice"
)

func worker(session string, headroom float64, change func(c *choice.Candidate)) choice.Candidate {
	c := choice.Candidate{Session: session, Namespaces: []string{"/rooms"}, Env: "*", Headroom: headroom}
	if change != nil {
		change(&c)
	}
	return c
}

func TestWhoMayHaveAnID(t *testing.T) {
	want := choice.Want{Namespace: "/rooms", Env: "*", Labels: map[string]string{"gpu": "", "zone": "a"}, Feature: "alarm", Avoid: []string{"refused"}}
	good := func(c *choice.Candidate) {
		c.Labels, c.Features = map[string]string{"gpu": "h100", "zone": "a", "more": "x"}, []string{"refusals", "alarm"}
	}
	for name, change := range map[string]func(c *choice.Candidate){
		"draining":          func(c *choice.Candidate) { c.Draining = true },
		"another env":       func(c *choice.Candidate) { c.Env = "prod" },
		"another namespace": func(c *choice.Candidate) { c.Namespaces = []string{"/halls"} },
		"refused":           func(c *choice.Candidate) { c.Session = "refused" },
		"no feature":        func(c *choice.Candidate) { c.Features = nil },
		"no label":          func(c *choice.Candidate) { delete(c.Labels, "gpu") },
		"another value":     func(c *choice.Candidate) { c.Labels["zone"] = "b" },
	} {
		bad := worker("w", 100, func(c *choice.Candidate) { good(c); change(c) })
		if want.Fits(bad) {
			t.Errorf("%s fits", name)
		}
		if got := choice.Choose([]choice.Candidate{bad}, want, rand.Float64); got != -1 {
			t.Errorf("%s was chosen", name)
		}
		if got := choice.Choose([]choice.Candidate{bad, worker("good", 1, good)}, want, rand.Float64); got != 1 {
			t.Errorf("beside %s: %d was chosen", name, got)
		}
	}
	if choice.Choose(nil, want, rand.Float64) != -1 {
		t.Error("of nobody somebody was chosen")
	}
}

func TestThePreferredOneIsTakenWhereItFits(t *testing.T) {
	all := []choice.Candidate{worker("a", 1000, nil), worker("b", 1, nil), worker("c", 1000, nil)}
	want := choice.Want{Namespace: "/rooms", Env: "*", Prefer: "b"}
	for range 20 {
		if got := choice.Choose(all, want, rand.Float64); got != 1 {
			t.Fatal(got)
		}
	}
	all[1].Draining = true
	if got := choice.Choose(all, want, rand.Float64); got == 1 || got < 0 {
		t.Error(got)
	}
}

// TestIDsSpreadByHeadroom places many ids: who has more gets more, nobody is fallen upon,
// and what was placed since the last heartbeat counts.
func TestIDsSpreadByHeadroom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var all []choice.Candidate
	for i := range 10 {
		all = append(all, worker(fmt.Sprint(i), 1000, nil))
	}
	all[9].Headroom = 1500
	all[0].Headroom = 500
	got := make([]int, len(all))
	for range 5_000 {
		i := choice.Choose(all, choice.Want{Namespace: "/rooms", Env: "*"}, rng.Float64)
		all[i].Placed++
		got[i]++
	}
	// The headrooms are even again once all is placed.
	for i, n := range got {
		left := all[i].Headroom - float64(n)
		if left < 400 || left > 600 {
			t.Errorf("worker %d got %d ids and has %v left", i, n, left)
		}
	}
}

func TestAnIDThatFailsAgainAndAgainIsHeld(t *testing.T) {
	var l choice.Loops[string]
	for n := range 4 {
		l.Failed("a", time.Duration(n)*time.Second)
	}
	if _, held := l.Held("a", 4*time.Second); held {
		t.Error("it is held after 4 failures")
	}
	l.Failed("a", 10*time.Second)
	if wait, held := l.Held("a", 10*time.Second); !held || wait != time.Second {
		t.Error(wait, held)
	}
	if _, held := l.Held("a", 11*time.Second); held {
		t.Error("it may be tried after the hold")
	}
	if _, held := l.Held("b", 10*time.Second); held {
		t.Error("another id is held")
	}
	now := 11 * time.Second
	for _, want := range []time.Duration{2, 4, 8, 16, 32, 60, 60} {
		l.Failed("a", now)
		wait, held := l.Held("a", now)
		if !held || wait != want*time.Second { //nolint:durationcheck // a number of seconds
			t.Errorf("%v, %v, want %d s", wait, held, want)
		}
		now += wait
	}
	l.Lift("a")
	if _, held := l.Held("a", now); held || l.Len() != 0 {
		t.Error("it was lifted")
	}

	// Failures that are far apart are none.
	for n := range 20 {
		l.Failed("c", time.Duration(n)*20*time.Second)
	}
	if _, held := l.Held("c", 381*time.Second); held {
		t.Error("failures 20 s apart hold an id")
	}
}

func TestLoopsAreBounded(t *testing.T) {
	var l choice.Loops[int]
	for n := range 30_000 {
		l.Failed(n, time.Duration(n)*time.Millisecond)
	}
	if l.Len() > 10_000 {
		t.Error(l.Len())
	}
}
