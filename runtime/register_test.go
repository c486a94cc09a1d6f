package runtime

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pinned-go/pinned"
)

func plainClass(namespace string) Class[plain] {
	return Class[plain]{
		Name: "Plain", Namespace: namespace,
		Base:  func(p *plain) *pinned.Object { return &p.Object },
		Match: func(string, string, *Args) int { return -1 },
	}
}

func TestStartReturnsAllFaultsOfRegistration(t *testing.T) {
	w := newTestWorker(t)
	Register(w, plainClass("/taken"))
	other := plainClass("/taken")
	other.Name = "Other"
	Register(w, other)
	for _, namespace := range []string{"", "rooms", "/a/b", "/a b", "/_x", "/registry", "/.."} {
		Register(w, plainClass(namespace))
	}
	broken := plainClass("/broken")
	broken.Base, broken.Match = nil, nil
	broken.Routes = []Route[plain]{{Method: "GET", Pattern: "/", Limit: -1}}
	Register(w, broken)
	Register(w, plainClass("/setups"), Setup[plain](nil), RegisterOption{})

	err := w.Start(t.Context())
	if err == nil {
		t.Fatal("Start found nothing")
	}
	for _, want := range []string{
		`register Other at "/taken": the namespace is that of Plain`,
		`at "":`, `at "rooms":`, `at "/a/b":`, `at "/a b":`, `at "/_x":`, `at "/registry":`, `at "/..":`,
		"Base is nil", "Match is nil", "Serve of GET / is nil", "Limit of GET / is negative",
		"a setup is nil", "an option is zero",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error doesn't say %q:\n%v", want, err)
		}
	}
	if _, err := w.kind("/taken").activate(t.Context(), "one"); err == nil {
		t.Error("a worker with faults serves")
	}
}

func TestRegisterAfterStartIsAFault(t *testing.T) {
	w := newTestWorker(t)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	Register(w, plainClass("/late"))
	if err := w.Start(t.Context()); err == nil || w.kind("/late") != nil {
		t.Errorf("Start: %v", err)
	}
}

func TestSetupsRunInOrderOnTheirOwnType(t *testing.T) {
	w := newTestWorker(t)
	var order []string
	Register(w, plainClass("/plains"),
		Setup(func(p *plain) { order = append(order, "first "+p.ID()) }),
		Setup(func(*box) { order = append(order, "another type's") }),
		Setup(func(*plain) { order = append(order, "second") }))
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	in, err := w.kind("/plains").activate(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	in.done()
	if got := strings.Join(order, ", "); got != "first one, second" {
		t.Error(got)
	}
}

// guarded has an Authorize hook, and a method for auth=.
type guarded struct {
	pinned.Object

	secret string
}

func (g *guarded) Authorize(ctx context.Context, r *http.Request, caller pinned.Caller) error {
	return errors.New("hook " + g.ID() + " " + g.secret + " " + caller.ID + r.Header.Get("X"))
}

func (g *guarded) AdminOnly(context.Context, *http.Request, pinned.Caller) error {
	return errors.New("method " + g.ID() + " " + g.secret)
}

func TestAuthorizeRunsOnAValueOfItsOwn(t *testing.T) {
	w := newTestWorker(t)
	serve := func(*Call) {}
	var made []*guarded
	Register(w, Class[guarded]{
		Name: "Guarded", Namespace: "/guarded",
		Base:  func(g *guarded) *pinned.Object { return &g.Object },
		Match: func(string, string, *Args) int { return -1 },
		Routes: []Route[guarded]{
			{Method: "GET", Pattern: "/hook", Serve: serve},
			{Method: "GET", Pattern: "/method", Serve: serve, Auth: (*guarded).AdminOnly, Limit: 5},
			{Method: "GET", Pattern: "/none", Serve: serve, NoAuth: true, Concurrent: true},
		},
	}, Setup(func(g *guarded) { g.secret = "set up"; made = append(made, g) }))
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := w.kind("/guarded")
	r := &http.Request{Header: http.Header{"X": {"!"}}}
	if err := k.routes[0].auth(t.Context(), "one", r, pinned.Caller{ID: "you"}); err.Error() != "hook one set up you!" {
		t.Error(err)
	}
	if err := k.routes[1].auth(t.Context(), "one", r, pinned.Caller{}); err.Error() != "method one set up" {
		t.Error(err)
	}
	if k.routes[2].auth != nil || !k.routes[2].concurrent {
		t.Error("auth=none asks somebody")
	}
	if k.routes[0].limit != 1<<20 || k.routes[1].limit != 5 {
		t.Errorf("limits %d and %d", k.routes[0].limit, k.routes[1].limit)
	}
	if len(w.resident()) != 0 || len(made) != 2 || made[0] == made[1] {
		t.Errorf("%d are resident, %d were made", len(w.resident()), len(made))
	}

	// What it starts ends with the worker, and a panic in there stays there.
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	made[0].Go(ctx, func(ctx context.Context) { defer close(ended); <-ctx.Done() })
	made[0].Go(ctx, func(context.Context) { panic("oh no") })
	cancel()
	if err := made[0].Turn(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
	made[0].Abort(errBroken)
	if !made[0].Lease().Healthy || made[0].Epoch() != 0 || made[0].Now().IsZero() || made[0].Log() == nil {
		t.Error("what it knows of itself")
	}
	if err := w.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	<-ended
	made[0].Go(t.Context(), func(context.Context) { t.Error("ran after the end") })
}

func TestOptionsRefuseWhatMakesNoSense(t *testing.T) {
	for name, opt := range map[string]Option{
		"no instances":        WithMaxInstances(0),
		"no idle time":        WithIdleTimeout(0),
		"no slots":            WithActivationSlots(0, time.Second),
		"no wait for a slot":  WithActivationSlots(1, 0),
		"no time for a drain": WithDrainTimeout(-1),
		"no logger":           WithLogger(nil),
		"a bad pattern":       WithOrigins("ok.example", "["),
		"an empty pattern":    WithOrigins(""),
	} {
		if _, err := NewWorker(opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w, err := NewWorker(WithMaxInstances(7), WithIdleTimeout(8), WithActivationSlots(9, 10), WithDrainTimeout(11), WithOrigins("A.example"))
	if err != nil {
		t.Fatal(err)
	}
	if w.maxInstances != 7 || w.idleTimeout != 8 || w.activationSlots != 9 || w.activationWait != 10 || w.drainTimeout != 11 ||
		len(w.origins) != 1 || w.origins[0] != "a.example" {
		t.Errorf("%+v", w.options)
	}
}
