package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/internal/core/directory"
	"github.com/pinned-go/pinned/internal/core/fence"
	"github.com/pinned-go/pinned/internal/wire"
)

// The refusals of a worker in a fleet (wire contract, section 4).
var (
	refusedStale     = &refusal{wire.RefusalStaleEpoch, time.Second, "stale placement epoch"}
	refusedReleased  = &refusal{wire.RefusalReleasedEpoch, time.Second, "released placement epoch"}
	refusedExpired   = &refusal{wire.RefusalLeaseExpired, time.Second, "the worker's lease has ended"}
	refusedUnhealthy = &refusal{wire.RefusalLeaseUnhealthy, time.Second, "the worker's lease is about to end"}
	refusedWindDown  = &refusal{wire.RefusalWindDown, time.Second, "the instance is past its wind-down deadline"}
)

// anyEpoch stands for the epoch that a resident instance has: of a call in process.
const anyEpoch = -1

// admission is what the attestation of a request says.
type admission struct {
	caller pinned.Caller
	epoch  int64
}

// admit checks the attestation, the epoch and the lease of a request from outside, in that
// order. Where one of them fails it has answered.
func (m *member) admit(rw http.ResponseWriter, r *http.Request, namespace, id string) (a admission, ok bool) {
	s := m.view.Load()
	claims, ok := m.attested(r, s, namespace+"/"+id)
	if !ok {
		problem(rw, r, http.StatusForbidden, "invalid attestation")
		return a, false
	}
	epochs := r.Header[wire.HeaderEpoch]
	if len(epochs) != 1 {
		problem(rw, r, http.StatusForbidden, "the request has no placement epoch, or several")
		return a, false
	}
	epoch, err := wire.ParseEpoch(epochs[0])
	switch {
	case err != nil:
		problem(rw, r, http.StatusBadRequest, "the placement epoch isn't one")
		return a, false
	case epoch != claims.Epoch:
		problem(rw, r, http.StatusForbidden, "the placement epoch isn't the attested one")
		return a, false
	case m.w.now() >= s.until:
		refuse(rw, r, refusedExpired)
		return a, false
	}
	a.epoch = epoch
	a.caller = callerOf(claims)
	return a, true
}

// attested verifies the attestation of a request. It must be bound to its subject and epoch.
func (m *member) attested(r *http.Request, s *standing, subject string) (wire.Attestation, bool) {
	values := r.Header[wire.HeaderAttestation]
	if len(values) != 1 || s.session == "" {
		return wire.Attestation{}, false
	}
	claims, ok := m.tokens.verify(values[0], m.secret, s.session, m.w.clock.Now())
	return claims, ok && claims.Bound && claims.Subject == subject
}

// callerOf is who calls, as an attestation says.
func callerOf(claims wire.Attestation) pinned.Caller {
	c := pinned.Caller{Depth: claims.Depth}
	if i := strings.LastIndexByte(claims.Caller, '/'); i > 0 {
		c.Namespace, c.ID = claims.Caller[:i], claims.Caller[i+1:]
	}
	if a := claims.Account; a != nil {
		c.Account = &pinned.Account{Subject: a.Subject, Claims: a.Claims, Scopes: a.Scopes}
	}
	return c
}

// tokens are attestations that were verified: the pinboard sends the same one for some
// seconds.
type tokens struct {
	mu    sync.RWMutex
	known map[string]knownToken
}

type knownToken struct {
	claims  wire.Attestation
	session string
	until   time.Time
}

// The life of a token in the cache, far below the 30 s that it is valid, and how many there
// are.
const (
	tokenLife  = 5 * time.Second
	mostTokens = 4096
)

func (t *tokens) verify(token, secret, session string, now time.Time) (wire.Attestation, bool) {
	t.mu.RLock()
	k, ok := t.known[token]
	t.mu.RUnlock()
	if ok && k.session == session && now.Before(k.until) {
		return k.claims, true
	}
	claims, err := wire.Verify(token, secret, now, session)
	if err != nil {
		return claims, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= mostTokens {
		t.known = map[string]knownToken{}
	}
	// The string is part of a buffer that is used again.
	until := now.Add(tokenLife)
	if end := time.Unix(claims.IssuedAt+60, 0); end.Before(until) { // 30 s, and 30 s of skew
		until = end
	}
	t.known[strings.Clone(token)] = knownToken{claims, session, until}
	return claims, true
}

// refuse answers with a refusal a request that has no call yet.
func refuse(rw http.ResponseWriter, r *http.Request, why *refusal) {
	h := rw.Header()
	h["Retry-After"] = []string{seconds(why.retryAfter)}
	h[wire.HeaderRefusal] = []string{why.reason}
	problem(rw, r, http.StatusServiceUnavailable, why.detail)
}

// fixedPath answers the paths that begin with _pinned. It is false for any other.
func (m *member) fixedPath(rw http.ResponseWriter, r *http.Request) bool {
	switch r.URL.EscapedPath() {
	case "/_pinned/challenge":
		m.challenged(rw, r)
	case "/_pinned/stats":
		m.stats(rw, r)
	default:
		return false
	}
	return true
}

// stats answers GET _pinned/stats to whoever has the worker's secret, or an attestation.
func (m *member) stats(rw http.ResponseWriter, r *http.Request) {
	_, ok := m.attested(r, m.view.Load(), "/_pinned/stats")
	if secrets := r.Header.Values(wire.HeaderPinboardSecret); !ok && (len(secrets) != 1 || !wire.SameSecret(secrets[0], m.secret)) {
		problem(rw, r, http.StatusForbidden, detailForbidden)
		return
	}
	body, err := json.Marshal(m.w.Stats())
	if err != nil {
		problem(rw, r, http.StatusInternalServerError, detailInternal)
		return
	}
	rw.Header()["Content-Type"] = headerJSON
	writeBody(rw, http.StatusOK, body, r.Method == http.MethodHead)
}

// accepts says why an id that isn't resident is refused for the worker's standing in the
// fleet. Nil: it isn't.
func (m *member) accepts() *refusal {
	s := m.view.Load()
	switch {
	case s.draining:
		return refusedAdmission[directory.Draining]
	case m.w.now() >= s.healthy:
		return refusedUnhealthy
	}
	return nil
}

// passes says why an id that isn't resident is refused for its epoch.
func (m *member) passes(key fence.Key, epoch int64) *refusal {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch m.fences.Check(key, epoch, m.w.now()) {
	case fence.Stale:
		return refusedStale
	case fence.Released:
		return refusedReleased
	case fence.Pass:
	}
	return nil
}

// adopt moves a resident instance to a higher epoch before it serves at it (wire contract,
// section 4). Where another owner ran in between, the instance is aborted.
func (in *instance) adopt(ctx context.Context, epoch int64) error {
	t := newTurn(ctx, in)
	defer t.end()
	if err := t.acquire(); err != nil {
		return err
	}
	if in.epoch.Load() >= epoch {
		return nil
	}
	if d := in.durable; d != nil {
		if err := d.frontier.Adopt(ctx, epoch); err != nil {
			return err
		}
	}
	in.epoch.Store(epoch)
	in.Log().Info("adopted a higher placement epoch", "epoch", epoch)
	return nil
}

// storedFence is the epoch of the store that has refused an instance, 0 for none.
func storedFence(e *ending) int64 {
	if e == nil {
		return 0
	}
	lost, ok := errors.AsType[*durability.FenceLost](e.err)
	if !ok {
		return 0
	}
	return lost.Stored
}
