package lease_test

import (
	"testing"
	"time"

	"github.com/pinned-go/pinned/internal/core/lease"
)

const second = time.Second

func TestALeaseIsAnchoredWhereItWasSent(t *testing.T) {
	l := lease.Lease{Buffer: 5 * second}
	if s := l.At(0); s != lease.None {
		t.Error(s)
	}
	l.Grant(3*second, 10*second)
	for at, want := range map[time.Duration]lease.State{
		3 * second: lease.Healthy, 8*second - 1: lease.Healthy, 8 * second: lease.Unhealthy, 13*second - 1: lease.Unhealthy, 13 * second: lease.Expired,
	} {
		if got := l.At(at); got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	l.Grant(second, 10*second) // an ack that was overtaken
	if until, _ := l.Until(); until != 13*second {
		t.Error(until)
	}
	l.Grant(14*second, 10*second) // serving goes on
	if s := l.At(15 * second); s != lease.Healthy {
		t.Error(s)
	}
	l.Cap(16 * second)
	if s := l.At(16 * second); s != lease.Expired {
		t.Error(s)
	}
	l.Uncap()
	if s := l.At(16 * second); s != lease.Healthy {
		t.Error(s)
	}
}

func want(t *testing.T, a *lease.Agent, call lease.Call, at time.Duration) {
	t.Helper()
	if c, when := a.Next(); c != call || when != at {
		t.Errorf("next is %v at %v, want %v at %v", c, when, call, at)
	}
}

func TestAnAgentRegistersAndBeats(t *testing.T) {
	a := lease.Agent{Interval: 3 * second}
	want(t, &a, lease.Register, 0)
	a.Registered("s1", second)
	want(t, &a, lease.Heartbeat, 4*second)
	a.Beat(4 * second) // however long the answer takes, the rate is counted from the send
	want(t, &a, lease.Heartbeat, 7*second)
	a.Soon(5 * second)
	want(t, &a, lease.Heartbeat, 5*second)
	a.Nacked(6 * second)
	want(t, &a, lease.Register, 6*second)
	if a.Session() != "" || a.Previous() != "s1" {
		t.Error(a.Session(), a.Previous())
	}
	a.Nacked(6 * second) // twice, and the session before isn't forgotten
	if a.Previous() != "s1" {
		t.Error(a.Previous())
	}
	a.Registered("s2", 6*second)
	if a.Session() != "s2" || a.Previous() != "" {
		t.Error(a.Session(), a.Previous())
	}
	a.Left()
	want(t, &a, lease.Nothing, 9*second)
}

func TestRegistrationsBackOff(t *testing.T) {
	a := lease.Agent{Interval: 3 * second}
	for n, wait := range []int{3, 6, 12, 24, 30, 30, 30, 30, 30, 30, 30, 30} {
		now := time.Duration(n) * 100 * second
		a.RegisterFailed(now, 0, 1)
		want(t, &a, lease.Register, now+time.Duration(wait)*second)
	}
	a = lease.Agent{Interval: 3 * second}
	a.RegisterFailed(0, 0, 0)
	want(t, &a, lease.Register, 900*time.Millisecond)
	a.RegisterFailed(0, second, 1) // Retry-After replaces the base
	want(t, &a, lease.Register, 2*second)
	a.RegisterFailed(0, time.Hour, 1)
	want(t, &a, lease.Register, 30*second)
}
