package runtime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/fence"
	"github.com/pinned-go/pinned/internal/core/lease"
	"github.com/pinned-go/pinned/internal/wire"
)

// Fleet says how a worker takes part in a fleet, behind a pinboard.
type Fleet struct {
	// Pinboard is the URL of the pinboard, such as "https://pinboard.internal:7000".
	// Instances call each other through it too.
	Pinboard string
	// Token is the deployment token, with which the worker registers.
	Token string
	// Advertise is the URL at which the pinboard reaches this worker, such as
	// "http://10.0.0.7:8080". It is sent without a slash at its end.
	Advertise string
	// Hostname is the host that the worker serves in a fleet that tells hosts apart, and
	// Env the environment of its namespaces there; Env needs Hostname. A class whose
	// directive names an env has that one.
	Hostname, Env string
	// Epoch is that of the deployment: one with a higher epoch may take a host's
	// namespaces over. 0: none.
	Epoch int64
	// Takeover is what becomes of those who have the namespaces before: "wind_down", or
	// "deny" so that nobody takes them from this one. "": the pinboard decides.
	Takeover string
	// Labels are what namespaces may require of a worker, such as "gpu" or "zone": "a".
	Labels map[string]string
	// Headroom tells how much memory is left for instances, in MiB, by which the pinboard
	// chooses workers. Nil: what the control group leaves, or the machine.
	Headroom func() float64
	// OneMachine says that all workers run on this machine, so that a store that is a file
	// or in memory serves all of them.
	OneMachine bool
	// QuitWhenUnhealthy aborts all instances when the lease is about to end, instead of
	// serving what is resident to its very end.
	QuitWhenUnhealthy bool
	// OnUnhealthy and OnRestored are called when the lease is about to end, and when it is
	// renewed after that. Nil: nothing is.
	OnUnhealthy, OnRestored func()
	// Client makes the calls to the pinboard. Nil: one of its own.
	Client *http.Client
}

// The times of the wire contract, section 9.
const (
	heartbeatInterval = 3 * time.Second
	leaseBuffer       = 5 * time.Second
	leaseTTL          = 10 * time.Second
	registryTimeout   = 5 * time.Second
	fenceWindow       = 2 * leaseTTL
)

// WithPinboard makes the worker one of a fleet: it registers at Start, serves what the
// pinboard sends, and nothing else, for as long as its lease is renewed (wire contract,
// sections 2, 4 and 9).
func WithPinboard(f Fleet) Option {
	return func(o *options) error {
		var errs []error
		base, err := httpURL("the pinboard's URL", f.Pinboard)
		errs = append(errs, err)
		own, err := httpURL("the advertised URL", f.Advertise)
		errs = append(errs, err)
		if f.Token == "" {
			errs = append(errs, errors.New("there is no deployment token"))
		}
		if f.Env != "" && f.Hostname == "" {
			errs = append(errs, fmt.Errorf("the env %q needs a hostname", f.Env))
		}
		if f.Epoch < 0 {
			errs = append(errs, fmt.Errorf("the epoch %d is negative", f.Epoch))
		}
		switch f.Takeover {
		case "", "wind_down", "deny":
		default:
			errs = append(errs, fmt.Errorf("takeover %q: it is wind_down or deny", f.Takeover))
		}
		if (f.Takeover != "" || f.Epoch > 0) && f.Hostname == "" {
			errs = append(errs, errors.New("takeover and epoch need a hostname"))
		}
		if err := errors.Join(errs...); err != nil {
			return fmt.Errorf("pinboard: %w", err)
		}
		f.Pinboard, f.Advertise = strings.TrimRight(base.String(), "/"), strings.TrimRight(own.String(), "/")
		o.fleet = &f
		return nil
	}
}

// httpURL is an absolute URL without query, fragment and user.
func httpURL(what, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return &url.URL{}, fmt.Errorf("%s can't be read", what) // it may hold a password
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return &url.URL{}, fmt.Errorf("%s isn't an absolute http or https URL", what)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return &url.URL{}, fmt.Errorf("%s has a user, a query or a fragment", what)
	}
	return u, nil
}

// member is the worker's part in its fleet.
type member struct {
	Fleet

	w                *Worker
	clientID, secret string
	client           *http.Client

	view   atomic.Pointer[standing]
	tokens tokens

	calling  sync.Mutex // held while a registration or a heartbeat is on its way; taken before mu
	flushing sync.Mutex // likewise, releases

	mu         sync.Mutex
	agent      lease.Agent
	lease      lease.Lease
	fences     fence.Fences
	challenges []wire.Challenge // those that may be asked for
	drain      drainState       // the pinboard's
	windDowns  map[fence.Key]*windDown
	acks       []string // messages to be acked
	sick       bool     // OnUnhealthy was called
	superseded bool
	session    string // the last one
	releases   []wire.Release
	releasing  bool
	expiry     func() bool // stops the timer of the lease
	flaps      int
	reregs     int

	poke chan struct{} // the loop looks again
}

// standing is what the path of a request reads.
type standing struct {
	session  string        // "": no audience
	until    time.Duration // the end of the lease
	healthy  time.Duration // until when instances may activate
	draining bool          // the pinboard's drain
	changed  chan struct{} // closed once another standing holds
}

// drainState is the pinboard's drain of this worker.
type drainState struct {
	on   bool
	stop func() // of the deadline's timer; nil: there is none
}

// newMember is the part of a worker with a Fleet. Whoever has its ids' epochs remembers
// them for two lease TTLs.
func newMember(w *Worker, f Fleet) *member {
	m := &member{
		Fleet: f, w: w, clientID: randomHex(16), secret: randomHex(32), client: f.Client,
		agent: lease.Agent{Interval: heartbeatInterval}, lease: lease.Lease{Buffer: leaseBuffer},
		fences: fence.Fences{Window: fenceWindow}, windDowns: map[fence.Key]*windDown{},
		poke: make(chan struct{}, 1),
	}
	if m.client == nil {
		m.client = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()} //nolint:errcheck,forcetypeassert // it is one
	}
	c := *m.client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	m.client = &c
	m.view.Store(&standing{changed: make(chan struct{})})
	return m
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// check refuses a store that the rest of the fleet can't read.
func (m *member) check() error {
	if m.w.store == nil || m.OneMachine {
		return nil
	}
	if _, private := m.w.store.(durability.Private); private {
		return fmt.Errorf("start: a fleet shares its store, and a %T is this process's or this machine's: "+
			"an id that moves would come up blank (Fleet.OneMachine says that there is but one machine)", m.w.store)
	}
	return nil
}

// run registers and heartbeats until the worker has ended.
func (m *member) run() {
	for {
		m.mu.Lock()
		call, at := m.agent.Next()
		m.mu.Unlock()
		if call == lease.Nothing {
			return
		}
		fired, stop := m.w.clock.Timer(max(0, at-m.w.now()))
		select {
		case <-fired:
		case <-m.poke:
			stop()
			continue
		case <-m.w.last.Done():
			stop()
			return
		}
		m.calling.Lock()
		m.mu.Lock()
		call, _ = m.agent.Next() // it may have left meanwhile
		m.mu.Unlock()
		switch call {
		case lease.Register:
			m.register()
		case lease.Heartbeat:
			m.heartbeat()
		case lease.Nothing:
		}
		m.calling.Unlock()
	}
}

// look has the loop look again at what is next.
func (m *member) look() {
	select {
	case m.poke <- struct{}{}:
	default:
	}
}

// soon sends a heartbeat at once.
func (m *member) soon() {
	m.mu.Lock()
	m.agent.Soon(m.w.now())
	m.mu.Unlock()
	m.look()
}

// stand tells the path of requests what holds now. mu must be held.
func (m *member) stand() {
	until, ok := m.lease.Until()
	s := &standing{session: m.agent.Session(), draining: m.drain.on, changed: make(chan struct{})}
	if ok {
		s.until, s.healthy = until, until-leaseBuffer
	}
	close(m.view.Swap(s).changed)
	m.watchExpiry()
}

// serving waits while the worker's lease has ended: nothing goes into an open stream or
// socket then, and nothing comes out (wire contract, section 9). It fails with the cause of
// ctx.
func (w *Worker) serving(ctx context.Context) error {
	if w.member == nil {
		return nil
	}
	for {
		s := w.member.view.Load()
		if w.now() < s.until {
			return nil
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// watchExpiry sets the timer that tells of an unhealthy lease. mu must be held.
func (m *member) watchExpiry() {
	if m.expiry != nil {
		m.expiry()
		m.expiry = nil
	}
	state := m.lease.At(m.w.now())
	if state == lease.Healthy {
		until, _ := m.lease.Until()
		m.expiry = m.w.clock.AfterFunc(until-leaseBuffer-m.w.now(), m.unhealthy)
		if m.sick {
			m.sick = false
			if m.OnRestored != nil {
				m.w.spawn(m.OnRestored)
			}
		}
	}
}

// unhealthy is called when the lease is about to end.
func (m *member) unhealthy() {
	m.mu.Lock()
	state := m.lease.At(m.w.now())
	if m.sick || state == lease.Healthy || state == lease.None {
		m.mu.Unlock()
		return
	}
	m.sick = true
	m.flaps++
	m.mu.Unlock()
	if m.w.drain.Err() == nil {
		m.w.logger.Warn("the lease is about to end, and isn't renewed")
	}
	if m.QuitWhenUnhealthy {
		for _, in := range m.w.resident() {
			in.Abort(errUnhealthy)
		}
	}
	if m.OnUnhealthy != nil {
		m.w.spawn(m.OnUnhealthy)
	}
}

// Causes of aborts.
var (
	errUnhealthy  = errors.New("the lease is about to end")
	errSuperseded = errors.New("a newer deployment has taken over")
	errDuplicate  = errors.New("another worker has this id")
	errWoundDown  = errors.New("the pinboard has ended the instance")
)

// Ready reports whether the worker serves: in a fleet, whether it is registered, its lease
// hasn't ended, and no newer deployment has taken over; in local mode, whether it has
// started.
func (w *Worker) Ready() bool {
	w.mu.Lock()
	started := w.started
	w.mu.Unlock()
	if !started || w.drain.Err() != nil || w.member == nil {
		return started && w.drain.Err() == nil
	}
	s := w.member.view.Load()
	return s.session != "" && w.now() < s.until && !w.Superseded()
}

// Superseded reports whether a newer deployment has taken over what this worker served. It
// doesn't register again; its process may end.
func (w *Worker) Superseded() bool {
	if w.member == nil {
		return false
	}
	w.member.mu.Lock()
	defer w.member.mu.Unlock()
	return w.member.superseded
}

// chance is the jitter of backoffs.
func chance() float64 { return mathrand.Float64() } //nolint:gosec // it is no secret

// leave deregisters: the worker is empty.
func (m *member) leave(ctx context.Context) {
	m.mu.Lock()
	session := m.agent.Session()
	m.lastSession()
	m.agent.Left()
	m.stand()
	if m.expiry != nil {
		m.expiry()
		m.expiry = nil
	}
	m.mu.Unlock()
	m.look()
	m.calling.Lock() // what is on its way must not come after the end
	defer m.calling.Unlock()
	m.flushReleases(ctx)
	if session == "" {
		return
	}
	if _, err := m.call(ctx, "deregister", wire.Deregister{SessionID: session}); err != nil {
		m.w.metrics.controlFailed("deregister", err)
		m.w.logger.Warn("the session wasn't ended", "error", clip(err.Error()))
	}
}
