package runtime

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/pinned-go/pinned/internal/core/fence"
	"github.com/pinned-go/pinned/internal/wire"
)

// answerLimit bounds the answer to a registry call.
const answerLimit = 16 << 20

// nackError is an answer of the registry other than 200.
type nackError struct {
	status     int
	nack       wire.Nack
	retryAfter time.Duration
}

func (e *nackError) Error() string {
	if e.nack.Error != "" {
		return fmt.Sprintf("the registry answered %d: %s", e.status, clip(e.nack.Error))
	}
	return fmt.Sprintf("the registry answered %d", e.status)
}

// call makes one call of the registry.
func (m *member) call(ctx context.Context, name string, body any) ([]byte, error) {
	doc, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, registryTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Pinboard+"/registry/"+name, bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", wire.TypeJSON)
	req.Header.Set("Authorization", "Bearer "+m.Token)
	resp, err := m.client.Do(req)
	if err != nil {
		return nil, err // it names the URL, which has no secret
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return nil, fmt.Errorf("read the registry's answer: %w", err)
	}
	if resp.StatusCode == http.StatusOK {
		return answer, nil
	}
	e := &nackError{status: resp.StatusCode}
	_ = json.Unmarshal(answer, &e.nack) // an answer of somebody else has none of it
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		e.retryAfter = time.Duration(n) * time.Second
	}
	return nil, e
}

// newChallenge makes a pair that the pinboard may ask for. The pair before stays good, since
// a call that overtakes its answer may still be on its way.
func (m *member) newChallenge() wire.Challenge {
	c := wire.Challenge{Challenge: randomHex(16), Value: randomHex(16)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.challenges = append(m.challenges, c)
	if len(m.challenges) > 2 {
		m.challenges = m.challenges[1:]
	}
	return c
}

// challenged answers GET _pinned/challenge (wire contract, section 2).
func (m *member) challenged(rw http.ResponseWriter, r *http.Request) {
	secrets := r.Header.Values(wire.HeaderPinboardSecret)
	if len(secrets) != 1 || subtle.ConstantTimeCompare([]byte(secrets[0]), []byte(m.secret)) != 1 {
		problem(rw, r, http.StatusForbidden, detailForbidden)
		return
	}
	asked := r.URL.Query().Get("challenge")
	m.mu.Lock()
	pairs := slices.Clone(m.challenges)
	m.mu.Unlock()
	for _, c := range pairs {
		if subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(asked)) == 1 {
			body, _ := json.Marshal(map[string]string{"value": c.Value}) //nolint:errchkjson // strings always encode
			rw.Header()["Content-Type"] = headerJSON
			writeBody(rw, http.StatusOK, body, r.Method == http.MethodHead)
			return
		}
	}
	problem(rw, r, http.StatusNotFound, "no such challenge")
}

// register sends a registration, and takes its answer.
func (m *member) register() {
	w := m.w
	pair := m.newChallenge()
	m.mu.Lock()
	previous := m.agent.Previous()
	m.mu.Unlock()
	body := wire.Register{
		ClientID: m.clientID, Secret: m.secret, AdvertiseURL: m.Advertise, Headroom: m.headroom(), Draining: w.drain.Err() != nil,
		Challenge: pair.Challenge, ChallengeValue: pair.Value, Hostname: m.Hostname, Env: m.Env, Takeover: m.Takeover, Epoch: m.Epoch,
		PrevSessionID: previous, Labels: m.Labels, Features: []string{"refusals"},
		Instances: map[string][]string{}, Epochs: map[string]map[string]string{},
	}
	for ns, k := range *w.kinds.Load() {
		body.Namespaces = append(body.Namespaces, ns)
		if k.env != "" && m.Hostname != "" {
			if body.Envs == nil {
				body.Envs = map[string]string{}
			}
			body.Envs[ns] = k.env
		}
	}
	slices.Sort(body.Namespaces)
	for _, in := range w.resident() {
		ns := in.shard.kind.namespace
		body.Instances[ns] = append(body.Instances[ns], in.ID())
		if body.Epochs[ns] == nil {
			body.Epochs[ns] = map[string]string{}
		}
		body.Epochs[ns][in.ID()] = strconv.FormatInt(in.epoch.Load(), 10)
	}
	sent := w.now()
	answer, err := m.call(w.last, "register", body)
	var ack wire.RegisterAck
	if err == nil {
		if err = json.Unmarshal(answer, &ack); err == nil && (ack.SessionID == "" || ack.ExpiresInMs <= 0) {
			err = errors.New("the registry's answer has no session, or no lease")
		}
		if err != nil {
			err = &answerError{err}
		}
	}
	if err != nil {
		m.registerFailed(err)
		return
	}
	m.quit(ack.Duplicates)

	m.mu.Lock()
	if m.agent.Previous() != "" {
		m.reregs++
	}
	m.agent.Registered(ack.SessionID, sent)
	m.lease.Grant(sent, time.Duration(ack.ExpiresInMs)*time.Millisecond)
	m.acks = nil
	m.setDrain(ack.Draining, ack.DrainDeadline)
	m.stand()
	m.mu.Unlock()
	w.logger.Info("registered", "session", ack.SessionID, "pinboard", m.Pinboard, "duplicates", len(ack.Duplicates))
	m.flushSoon()
}

// answerError is an answer of the registry that makes no sense.
type answerError struct{ error }

func (m *member) registerFailed(err error) {
	m.w.metrics.controlFailed("register", err)
	var retryAfter time.Duration
	if nack, ok := errors.AsType[*nackError](err); ok {
		if nack.nack.Superseded {
			m.supersede(nack)
			return
		}
		retryAfter = nack.retryAfter
	}
	m.mu.Lock()
	m.agent.RegisterFailed(m.w.now(), retryAfter, chance())
	m.mu.Unlock()
	if m.w.last.Err() == nil {
		m.w.logger.Warn("the registration failed, and is tried again", "pinboard", m.Pinboard, "error", clip(err.Error()))
	}
}

// quit ends instances that another worker has.
func (m *member) quit(duplicates []wire.Duplicate) {
	for _, d := range duplicates {
		if k := m.w.kind(d.Namespace); k != nil {
			sh := k.shard(d.ID)
			sh.mu.Lock()
			in := sh.dir.Find(d.ID)
			sh.mu.Unlock()
			if in != nil {
				m.w.metrics.duplicate()
				in.Abort(errDuplicate)
			}
		}
	}
}

// heartbeat renews the session.
func (m *member) heartbeat() {
	w := m.w
	pair := m.newChallenge()
	m.mu.Lock()
	session, acks := m.agent.Session(), m.acks
	m.mu.Unlock()
	sent := w.now()
	answer, err := m.call(w.last, "heartbeat", wire.Heartbeat{
		SessionID: session, Headroom: m.headroom(), Draining: w.drain.Err() != nil,
		Challenge: pair.Challenge, ChallengeValue: pair.Value, Acks: acks,
	})
	var ack wire.HeartbeatAck
	if err == nil {
		if err = json.Unmarshal(answer, &ack); err == nil && ack.ExpiresInMs <= 0 {
			err = errors.New("the registry's answer has no lease")
		}
		if err != nil {
			err = &answerError{err}
		}
	}
	if err != nil {
		w.metrics.controlFailed("heartbeat", err)
	}
	m.mu.Lock()
	if m.agent.Session() != session {
		m.mu.Unlock()
		return // it has left meanwhile
	}
	m.agent.Beat(sent)
	var nack *nackError
	if errors.As(err, &nack) && (nack.nack.Reregister || nack.nack.Superseded) {
		if nack.nack.Superseded {
			m.mu.Unlock()
			m.supersede(nack)
			return
		}
		m.agent.Nacked(w.now())
		m.stand()
		m.mu.Unlock()
		w.logger.Warn("the pinboard doesn't know the session, and the worker registers again", "session", session)
		return
	}
	if err != nil {
		m.mu.Unlock()
		if w.last.Err() == nil {
			w.logger.Warn("a heartbeat failed", "session", session, "error", clip(err.Error()))
		}
		return
	}
	m.acks = m.acks[len(acks):]
	m.lease.Grant(sent, time.Duration(ack.ExpiresInMs)*time.Millisecond)
	if ack.Draining != nil {
		m.setDrain(*ack.Draining, ack.DrainDeadline)
	}
	m.stand()
	messages := m.applicable(ack.Messages)
	m.mu.Unlock()
	for _, msg := range messages {
		m.apply(msg)
	}
}

// applicable are the messages up to the first that this worker can't apply, which are acked.
// mu must be held.
func (m *member) applicable(messages []wire.Message) []wire.Message {
	for i, msg := range messages {
		if msg.Type != "wind_down" || m.w.kind(msg.Namespace) == nil {
			m.w.logger.Warn("a message can't be applied", "type", clip(msg.Type), "namespace", clip(msg.Namespace))
			messages = messages[:i]
			break
		}
	}
	for _, msg := range messages {
		if !slices.Contains(m.acks, msg.MsgID) {
			m.acks = append(m.acks, msg.MsgID)
		}
	}
	return messages
}

// supersede ends the worker's part in the fleet: a newer deployment has taken over.
func (m *member) supersede(why error) {
	m.mu.Lock()
	m.superseded = true
	m.agent.Left()
	m.stand()
	m.mu.Unlock()
	m.look()
	m.w.logger.Error("a newer deployment has taken over: the worker serves no more", "error", clip(why.Error()))
	for _, in := range m.w.resident() {
		in.Abort(errSuperseded)
	}
}

// released queues the release of an instance that isn't resident any more, or of one that
// was never activated: fenced is the stored epoch that refused it, 0 for none. It may be
// called with a shard's lock held.
func (m *member) released(key fence.Key, epoch, fenced int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fences.End(key, epoch, m.w.now())
	r := wire.Release{Namespace: key.Namespace, ID: key.ID, Epoch: &epoch}
	if fenced > 0 {
		r.Fence = &fenced
	}
	m.releases = append(m.releases, r)
	m.flushQueued()
}

// flushSoon sends what is queued.
func (m *member) flushSoon() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushQueued()
}

// flushQueued begins to send releases, unless that goes on already, or there is no session
// to send them under. mu must be held.
func (m *member) flushQueued() {
	if m.releasing || len(m.releases) == 0 || m.agent.Session() == "" && !m.superseded {
		return
	}
	m.releasing = true
	m.w.work.Go(func() { m.flushReleases(m.w.last) })
}

// mostReleases is how many are sent at once.
const mostReleases = 500

// flushReleases sends what is queued, in as few calls as it goes. What fails twice is given
// up: the row is found by the end of the session.
func (m *member) flushReleases(ctx context.Context) {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	failures := 0
	for {
		m.mu.Lock()
		n := min(len(m.releases), mostReleases)
		batch := slices.Clone(m.releases[:n])
		if n == 0 || failures > 2 {
			m.releases, m.releasing = m.releases[n:], false
			if failures > 2 {
				m.w.logger.Warn("releases were given up", "releases", n)
			}
			m.mu.Unlock()
			return
		}
		session := m.lastSession()
		m.mu.Unlock()
		for i := range batch {
			batch[i].SessionID = session
		}
		if _, err := m.call(ctx, "release", batch); err != nil {
			m.w.metrics.controlFailed("release", err)
			if failures++; ctx.Err() != nil {
				failures = 3
			}
			continue
		}
		failures = 0
		m.mu.Lock()
		m.releases = m.releases[n:]
		m.mu.Unlock()
	}
}

// lastSession is the session under which releases are sent. mu must be held.
func (m *member) lastSession() string {
	if s := m.agent.Session(); s != "" {
		m.session = s
	}
	return m.session
}
