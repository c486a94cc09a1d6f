package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/wire"
	"github.com/pinned-go/pinned/runtime"
)

// Berth is an object of a fleet.
type Berth struct {
	pinned.Object

	count pinned.Value[int]
	hits  int // memory
}

// registry is a pinboard's registry as a test tells it to be.
type registry struct {
	mu       sync.Mutex
	secret   string
	session  string
	sessions int
	ttl      time.Duration
	calls    []string // names, in order
	bodies   map[string][]byte
	releases []wire.Release
	beat     func(hb wire.Heartbeat) (int, any) // nil: an ack
	register func(r wire.Register) (int, any)
}

// RoundTrip implements http.RoundTripper.
func (g *registry) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if r.Header.Get("Authorization") != "Bearer deploy" {
		return registryAnswer(401, nil), nil
	}
	name := strings.TrimPrefix(r.URL.Path, "/registry/")
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, name)
	g.bodies[name] = body
	switch name {
	case "register":
		var reg wire.Register
		_ = json.Unmarshal(body, &reg)
		g.secret = reg.Secret
		if g.register != nil {
			if status, out := g.register(reg); status != 0 {
				return registryAnswer(status, out), nil
			}
		}
		g.sessions++
		g.session = "s" + strconv.Itoa(g.sessions)
		return registryAnswer(200, wire.RegisterAck{SessionID: g.session, ExpiresInMs: g.ttl.Milliseconds()}), nil
	case "heartbeat":
		var hb wire.Heartbeat
		_ = json.Unmarshal(body, &hb)
		if g.beat != nil {
			if status, out := g.beat(hb); status != 0 {
				return registryAnswer(status, out), nil
			}
		}
		return registryAnswer(200, wire.HeartbeatAck{ExpiresInMs: g.ttl.Milliseconds()}), nil
	case "release":
		var all []wire.Release
		if err := json.Unmarshal(body, &all); err != nil {
			return registryAnswer(400, nil), nil
		}
		g.releases = append(g.releases, all...)
	}
	return registryAnswer(200, map[string]bool{"ok": true}), nil
}

func registryAnswer(status int, v any) *http.Response {
	doc, _ := json.Marshal(v)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(doc))}
}

func (g *registry) set(f func(g *registry)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g)
}

func (g *registry) released() []wire.Release {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.releases)
}

// fleet is a worker of a fleet.
type fleet struct {
	t      *testing.T
	reg    *registry
	store  *durability.Memory
	worker *runtime.Worker
	call   func(ctx context.Context, b *Berth) error
	deny   bool
}

func inFleet(t *testing.T, change func(f *runtime.Fleet), do func(f *fleet), opts ...runtime.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{t: t, reg: &registry{ttl: 10 * time.Second, bodies: map[string][]byte{}}, store: durability.NewMemory()}
		config := runtime.Fleet{
			Pinboard: "http://pinboard.test", Token: "deploy", Advertise: "http://10.0.0.7:8080/", OneMachine: true,
			Headroom: func() float64 { return 512 }, Client: &http.Client{Transport: f.reg},
		}
		if change != nil {
			change(&config)
		}
		w, err := runtime.NewWorker(append(opts, runtime.WithPinboard(config), runtime.WithStore(f.store), runtime.WithLogger(slog.New(slog.DiscardHandler)))...)
		if err != nil {
			t.Fatal(err)
		}
		f.worker = w
		runtime.Register(w, runtime.Class[Berth]{
			Name: "Berth", Namespace: "/berths",
			Base: func(b *Berth) *pinned.Object { return &b.Object },
			Match: func(method, path string, _ *runtime.Args) int {
				return map[string]int{"POST/do": 0, "GET/ticks": 1}[method+path]
			},
			Durable: func(b *Berth, bd *runtime.Binder) { bd.Field("count", &b.count) },
			Routes: []runtime.Route[Berth]{{
				Method: "POST", Pattern: "/do", Func: "Do",
				Auth: func(*Berth, context.Context, *http.Request, pinned.Caller) error {
					if f.deny {
						return &pinned.Error{Status: 401}
					}
					return nil
				},
				Serve: func(c *runtime.Call) {
					if ctx, b, ok := runtime.Enter[Berth](c); ok {
						b.hits++
						b.count.Set(b.count.Get() + 1)
						var err error
						if f.call != nil {
							err = f.call(ctx, b)
						}
						runtime.Answer(c, b.hits, err)
					}
				},
			}, {
				Method: "GET", Pattern: "/ticks", Func: "Ticks",
				Serve: func(c *runtime.Call) {
					if ctx, _, ok := runtime.Enter[Berth](c); ok {
						runtime.Stream(c, func(yield func(int, error) bool) {
							for n := 0; pinned.Sleep(ctx, time.Second) == nil && yield(n, nil); n++ {
								continue
							}
						})
					}
				},
			}},
		})
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		do(f)
		if err := w.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// ask sends a request as the pinboard does, changed.
func (f *fleet) ask(id string, epoch int64, change func(h http.Header)) *httptest.ResponseRecorder {
	f.t.Helper()
	f.reg.mu.Lock()
	secret, session := f.reg.secret, f.reg.session
	f.reg.mu.Unlock()
	req := httptest.NewRequestWithContext(f.t.Context(), http.MethodPost, "/berths/"+id+"/do", nil)
	req.Header.Set(wire.HeaderEpoch, strconv.FormatInt(epoch, 10))
	req.Header.Set(wire.HeaderAttestation, wire.Sign(secret, wire.Attestation{
		Audience: session, Subject: "/berths/" + id, Epoch: epoch, IssuedAt: time.Now().Unix(),
	}))
	if change != nil {
		change(req.Header)
	}
	rec := httptest.NewRecorder()
	f.worker.ServeHTTP(rec, req)
	return rec
}

// want asks, and checks the status and the refusal.
func (f *fleet) want(what, id string, epoch int64, status int, refusal string) {
	f.t.Helper()
	rec := f.ask(id, epoch, nil)
	if got := rec.Header().Get(wire.HeaderRefusal); rec.Code != status || got != refusal || (refusal != "") != (rec.Header().Get("Retry-After") != "") {
		f.t.Errorf("%s: %d, refusal %q, want %d, %q: %s", what, rec.Code, got, status, refusal, rec.Body)
	}
}

func TestAWorkerRegistersAndServesWhatIsAttested(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		var reg map[string]any
		if err := json.Unmarshal(f.reg.bodies["register"], &reg); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"advertiseUrl": `"http://10.0.0.7:8080"`, "namespaces": `["/berths"]`, "headroom": "512", "draining": "false",
		} {
			if got, _ := json.Marshal(reg[name]); string(got) != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		for _, name := range []string{"instances", "epochs", "epoch", "env", "hostname", "takeover", "prevSessionId"} {
			if _, ok := reg[name]; ok {
				t.Errorf("%s is there", name)
			}
		}
		if !f.worker.Ready() {
			t.Error("it isn't ready")
		}
		f.want("a request", "a", 5, 200, "")
		if epoch, err := f.store.StoredEpoch(f.t.Context(), durability.Key{Namespace: "/berths", ID: "a"}); epoch != 5 || err != nil {
			t.Errorf("the stored epoch is %d, %v", epoch, err)
		}
		for name, change := range map[string]func(h http.Header){
			"no attestation":   func(h http.Header) { h.Del(wire.HeaderAttestation) },
			"two attestations": func(h http.Header) { h.Add(wire.HeaderAttestation, h.Get(wire.HeaderAttestation)) },
			"no epoch":         func(h http.Header) { h.Del(wire.HeaderEpoch) },
			"two epochs":       func(h http.Header) { h.Add(wire.HeaderEpoch, "5") },
			"another epoch":    func(h http.Header) { h.Set(wire.HeaderEpoch, "6") },
			"another's signature": func(h http.Header) {
				h.Set(wire.HeaderAttestation, wire.Sign("x", wire.Attestation{Audience: "s1", Subject: "/berths/a", Epoch: 5, IssuedAt: time.Now().Unix()}))
			},
			"another id": func(h http.Header) {
				h.Set(wire.HeaderAttestation, wire.Sign(f.reg.secret, wire.Attestation{Audience: "s1", Subject: "/berths/b", Epoch: 5, IssuedAt: time.Now().Unix()}))
			},
			"another session": func(h http.Header) {
				h.Set(wire.HeaderAttestation, wire.Sign(f.reg.secret, wire.Attestation{Audience: "s9", Subject: "/berths/a", Epoch: 5, IssuedAt: time.Now().Unix()}))
			},
			"an old one": func(h http.Header) {
				h.Set(wire.HeaderAttestation, wire.Sign(f.reg.secret, wire.Attestation{Audience: "s1", Subject: "/berths/a", Epoch: 5, IssuedAt: time.Now().Unix() - 61}))
			},
		} {
			if rec := f.ask("a", 5, change); rec.Code != 403 {
				t.Errorf("%s: %d", name, rec.Code)
			}
		}
		for _, epoch := range []string{"", "-1", "+1", "1.0", "0x1", "1, 2", "9223372036854775808", strings.Repeat("9", 400), "\u0661"} {
			if rec := f.ask("a", 5, func(h http.Header) { h.Set(wire.HeaderEpoch, epoch) }); rec.Code != 400 {
				t.Errorf("epoch %q: %d", epoch, rec.Code)
			}
		}
	})
}

func TestEpochsFenceRequests(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		f.want("a first request", "a", 5, 200, "")
		f.want("a lower epoch", "a", 4, 503, wire.RefusalStaleEpoch)
		f.want("the same epoch", "a", 5, 200, "")
		f.want("a higher epoch", "a", 9, 200, "")
		if epoch, err := f.store.StoredEpoch(f.t.Context(), durability.Key{Namespace: "/berths", ID: "a"}); epoch != 9 || err != nil {
			t.Errorf("the stored epoch is %d, %v", epoch, err)
		}
		if body := f.ask("a", 9, nil).Body.String(); strings.TrimSpace(body) != "4" {
			t.Errorf("the instance wasn't kept: it has had %s requests", body)
		}

		// Another owner has run in between: what is resident is stale, and goes.
		if err := f.store.Put(f.t.Context(), durability.Key{Namespace: "/berths", ID: "a"}, 12, durability.Tray{Namespace: "pinned", ID: "object"}, durability.Row{Doc: []byte(`{"count":100}`)}); err != nil {
			t.Fatal(err)
		}
		f.call = func(_ context.Context, b *Berth) error {
			if b.count.Get() != 101 {
				t.Errorf("the count is %d: another owner's write was lost", b.count.Get())
			}
			return nil
		}
		f.want("an epoch after another owner's", "a", 15, 200, "")
		f.call = nil
		if body := f.ask("b", 1<<62, nil).Body.String(); strings.TrimSpace(body) == "" {
			t.Error("a great epoch isn't served")
		}
	})
}

func TestAReleasedEpochIsRefused(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		f.call = func(_ context.Context, b *Berth) error { b.Abort(nil); return nil }
		f.ask("a", 5, nil)
		f.call = nil
		synctest.Wait()
		released := f.reg.released()
		if len(released) != 1 || released[0].SessionID != "s1" || *released[0].Epoch != 5 || released[0].ID != "a" || released[0].Fence != nil {
			t.Fatalf("released: %+v", released)
		}
		f.want("the released epoch", "a", 5, 503, wire.RefusalReleasedEpoch)
		f.want("a lower epoch", "a", 4, 503, wire.RefusalStaleEpoch)
		f.want("a higher epoch", "a", 6, 200, "")
	})
}

func TestAFenceOfTheStoreIsTold(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		key := durability.Key{Namespace: "/berths", ID: "a"}
		if err := f.store.Adopt(f.t.Context(), key, 0, 77); err != nil {
			t.Fatal(err)
		}
		f.want("an epoch that the store refuses", "a", 5, 500, "")
		synctest.Wait()
		released := f.reg.released()
		if len(released) != 1 || released[0].Fence == nil || *released[0].Fence != 77 {
			t.Fatalf("released: %+v", released)
		}
		f.want("an epoch above it", "a", 78, 200, "")
	})
}

func TestADeniedRequestOfAColdIDReleasesIt(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		f.want("a first request", "b", 5, 200, "")
		f.deny = true
		f.want("denied, cold", "a", 5, 401, "")
		f.want("denied, resident", "b", 5, 401, "")
		synctest.Wait()
		if released := f.reg.released(); len(released) != 1 || released[0].ID != "a" {
			t.Fatalf("released: %+v", released)
		}
	})
}

func TestTheLeaseGatesRequests(t *testing.T) {
	var told chan string
	inFleet(t, func(c *runtime.Fleet) {
		told = make(chan string, 10)
		c.OnUnhealthy = func() { told <- "unhealthy" }
		c.OnRestored = func() { told <- "restored" }
	}, func(f *fleet) {
		f.want("a first request", "a", 5, 200, "")
		<-time.After(31 * time.Second) // it is renewed every 3 s
		f.want("after 31 s", "a", 5, 200, "")
		f.reg.set(func(g *registry) { g.beat = func(wire.Heartbeat) (int, any) { return 500, nil } })
		<-time.After(7 * time.Second)
		f.want("a resident id of an unhealthy lease", "a", 5, 200, "")
		f.want("a new id of an unhealthy lease", "b", 5, 503, wire.RefusalLeaseUnhealthy)
		<-time.After(4 * time.Second)
		f.want("a resident id of an expired lease", "a", 5, 503, wire.RefusalLeaseExpired)
		if f.worker.Ready() {
			t.Error("it is ready without a lease")
		}
		f.reg.set(func(g *registry) { g.beat = nil })
		<-time.After(4 * time.Second)
		f.want("a resident id after the lease was renewed", "a", 5, 200, "")
		f.want("a new id after the lease was renewed", "b", 5, 200, "")
		if a, b := <-told, <-told; a != "unhealthy" || b != "restored" || len(told) > 0 {
			t.Error(a, b, len(told))
		}
	})
}

// clocked notes when something was written.
type clocked struct {
	*httptest.ResponseRecorder

	mu   sync.Mutex
	last time.Time
}

func (w *clocked) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
	return len(p), nil
}

func (w *clocked) since() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.last)
}

func TestNothingComesOutOfAStreamOnceTheLeaseHasEnded(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		ctx, cancel := context.WithCancel(f.t.Context())
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/berths/a/ticks", nil)
		req.Header.Set(wire.HeaderEpoch, "5")
		req.Header.Set(wire.HeaderAttestation, wire.Sign(f.reg.secret, wire.Attestation{
			Audience: "s1", Subject: "/berths/a", Epoch: 5, IssuedAt: time.Now().Unix(),
		}))
		out := &clocked{ResponseRecorder: httptest.NewRecorder()}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { _ = recover() }() // the client leaves, and the answer breaks off
			f.worker.ServeHTTP(out, req)
		}()
		<-time.After(20500 * time.Millisecond)
		if since := out.since(); since > time.Second {
			t.Errorf("the last element came %v ago", since)
		}
		f.reg.set(func(g *registry) { g.beat = func(wire.Heartbeat) (int, any) { return 500, nil } })
		<-time.After(30 * time.Second) // the lease has ended 20 s ago, or a little more
		if since := out.since(); since < 19*time.Second {
			t.Errorf("an element came %v ago, without a lease", since)
		}
		f.reg.set(func(g *registry) { g.beat = nil })
		<-time.After(5 * time.Second)
		if since := out.since(); since > time.Second {
			t.Errorf("the last element came %v ago, with a lease again", since)
		}
		cancel()
		<-ended
	})
}

func TestANackKeepsTheInstances(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		f.want("a first request", "a", 5, 200, "")
		f.want("another", "b", 7, 200, "")
		once := true
		f.reg.set(func(g *registry) {
			g.beat = func(wire.Heartbeat) (int, any) {
				if once {
					once = false
					return 409, wire.Nack{Reregister: true}
				}
				return 0, nil
			}
			g.register = func(r wire.Register) (int, any) {
				if r.PrevSessionID != "s1" || !slices.Contains(r.Instances["/berths"], "a") || r.Epochs["/berths"]["b"] != "7" {
					t.Errorf("registered again as %+v", r)
				}
				g.session = "s2"
				return 200, wire.RegisterAck{SessionID: "s2", ExpiresInMs: 10_000, Duplicates: []wire.Duplicate{{Namespace: "/berths", ID: "b"}}}
			}
		})
		<-time.After(4 * time.Second)
		if body := f.ask("a", 5, nil).Body.String(); strings.TrimSpace(body) != "2" {
			t.Errorf("the instance wasn't kept: %s", body)
		}
		released := f.reg.released()
		if len(released) != 1 || released[0].ID != "b" || released[0].SessionID != "s2" {
			t.Errorf("a duplicate must go, under the new session: %+v", released)
		}
	})
}

func TestASupersededWorkerServesNoMore(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		f.want("a first request", "a", 5, 200, "")
		f.reg.set(func(g *registry) {
			g.beat = func(wire.Heartbeat) (int, any) { return 409, wire.Nack{Superseded: true, Error: "a newer deployment"} }
		})
		<-time.After(4 * time.Second)
		f.want("after the supersession", "a", 5, 403, "")
		if !f.worker.Superseded() || f.worker.Ready() {
			t.Error("it doesn't know that it is superseded")
		}
		calls := 0
		f.reg.set(func(g *registry) { calls = len(g.calls) })
		<-time.After(time.Minute)
		f.reg.set(func(g *registry) {
			if len(g.calls) != calls {
				t.Errorf("it went on calling: %v", g.calls[calls:])
			}
		})
	})
}

func TestMessagesWindInstancesDown(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		f.want("a first request", "idle", 5, 200, "")
		hold := make(chan struct{})
		f.call = func(ctx context.Context, _ *Berth) error {
			return pinned.Await(ctx, func(ctx context.Context) error {
				select {
				case <-hold:
				case <-ctx.Done():
				}
				return ctx.Err()
			})
		}
		busy := make(chan int, 1)
		go func() { busy <- f.ask("busy", 5, nil).Code }()
		synctest.Wait()
		f.call = nil
		acked := []string{}
		deadline := 8.0
		f.reg.set(func(g *registry) {
			g.beat = func(hb wire.Heartbeat) (int, any) {
				acked = append(acked, hb.Acks...)
				ack := wire.HeartbeatAck{ExpiresInMs: 10_000}
				if len(acked) == 0 {
					ack.Messages = []wire.Message{
						{MsgID: "1", Type: "wind_down", Namespace: "/berths", ID: "idle", Deadline: &deadline},
						{MsgID: "2", Type: "wind_down", Namespace: "/berths", ID: "busy", Deadline: &deadline},
						{MsgID: "3", Type: "dance", Namespace: "/berths", ID: "busy"},
						{MsgID: "4", Type: "wind_down", Namespace: "/berths", ID: "busy"},
					}
				}
				return 200, ack
			}
		})
		<-time.After(4 * time.Second)
		if released := f.reg.released(); len(released) != 1 || released[0].ID != "idle" {
			t.Errorf("an idle instance must go at once: %+v", released)
		}
		<-time.After(4 * time.Second)
		f.reg.set(func(*registry) {
			if !slices.Equal(acked, []string{"1", "2"}) {
				t.Errorf("acked: %v, want those before the first that can't be applied", acked)
			}
		})
		<-time.After(4 * time.Second)
		select {
		case status := <-busy:
			if status != 503 {
				t.Error(status)
			}
		default:
			t.Error("a busy instance outlives its deadline")
			close(hold)
		}
	})
}

func TestADrainIsToldAtOnceAndEndsWithTheSession(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		f.want("a first request", "a", 5, 200, "")
		if err := f.worker.Shutdown(f.t.Context()); err != nil {
			t.Fatal(err)
		}
		if calls := f.reg.calls; !slices.Contains(calls, "release") || calls[len(calls)-1] != "deregister" {
			t.Errorf("the calls were %v", calls)
		}
		if released := f.reg.released(); len(released) != 1 || *released[0].Epoch != 5 {
			t.Errorf("released: %+v", released)
		}
	})
}

func TestTheChallengeIsForThePinboardOnly(t *testing.T) {
	inFleet(t, nil, func(f *fleet) {
		var reg wire.Register
		if err := json.Unmarshal(f.reg.bodies["register"], &reg); err != nil {
			t.Fatal(err)
		}
		ask := func(secret, challenge string) (int, string) {
			req := httptest.NewRequestWithContext(f.t.Context(), http.MethodGet, "/_pinned/challenge?challenge="+challenge, nil)
			if secret != "" {
				req.Header.Set(wire.HeaderPinboardSecret, secret)
			}
			rec := httptest.NewRecorder()
			f.worker.ServeHTTP(rec, req)
			return rec.Code, rec.Body.String()
		}
		if status, body := ask(reg.Secret, reg.Challenge); status != 200 || !strings.Contains(body, reg.ChallengeValue) {
			t.Error(status, body)
		}
		for _, secret := range []string{"", "x", reg.Secret + "0", reg.Secret[1:]} {
			if status, body := ask(secret, reg.Challenge); status != 403 || strings.Contains(body, reg.ChallengeValue) {
				t.Error(secret, status, body)
			}
		}
		if status, _ := ask(reg.Secret, "other"); status != 404 {
			t.Error(status)
		}
		req := httptest.NewRequestWithContext(f.t.Context(), http.MethodGet, "/_pinned/stats", nil)
		rec := httptest.NewRecorder()
		f.worker.ServeHTTP(rec, req)
		if rec.Code != 403 {
			t.Error(rec.Code)
		}
		req.Header.Set(wire.HeaderPinboardSecret, reg.Secret)
		rec = httptest.NewRecorder()
		f.worker.ServeHTTP(rec, req)
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), `"leaseFlaps"`) {
			t.Error(rec.Code, rec.Body)
		}
	})
}

func TestAFleetNeedsASharedStore(t *testing.T) {
	w, err := runtime.NewWorker(runtime.WithStore(durability.NewMemory()), runtime.WithPinboard(runtime.Fleet{
		Pinboard: "http://pinboard.test", Token: "deploy", Advertise: "http://10.0.0.7:8080",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "OneMachine") {
		t.Error(err)
	}
}

func TestFleetsThatMakeNoSenseAreRefused(t *testing.T) {
	good := runtime.Fleet{Pinboard: "http://p", Token: "t", Advertise: "http://w"}
	for name, change := range map[string]func(f *runtime.Fleet){
		"no pinboard":                   func(f *runtime.Fleet) { f.Pinboard = "" },
		"a relative URL":                func(f *runtime.Fleet) { f.Advertise = "/x" },
		"a user":                        func(f *runtime.Fleet) { f.Advertise = "http://u:s3cret@w" },
		"a query":                       func(f *runtime.Fleet) { f.Pinboard = "http://p?a=1" },
		"no token":                      func(f *runtime.Fleet) { f.Token = "" },
		"an env without a hostname":     func(f *runtime.Fleet) { f.Env = "prod" },
		"an unknown takeover":           func(f *runtime.Fleet) { f.Hostname, f.Takeover = "h", "by force" },
		"a takeover without a hostname": func(f *runtime.Fleet) { f.Takeover = "deny" },
		"a negative epoch":              func(f *runtime.Fleet) { f.Hostname, f.Epoch = "h", -1 },
	} {
		f := good
		change(&f)
		if _, err := runtime.NewWorker(runtime.WithPinboard(f)); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := runtime.NewWorker(runtime.WithPinboard(good)); err != nil {
		t.Error(err)
	}
	if _, err := runtime.NewWorker(runtime.WithPinboard(good), runtime.WithTakeover()); err == nil {
		t.Error("a takeover in a fleet")
	}
}
