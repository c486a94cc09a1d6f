package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pinned-go/pinned/internal/core/placement"
)

// Memory is the store of one node, in its process. With it goes all that was placed, as with
// a store that was wiped: workers register again at their next heartbeat.
type Memory struct {
	options Options

	mu       sync.Mutex
	seq      int64
	boot     string
	until    time.Time // new ids aren't placed before
	open     bool
	lost     bool // sessions have run out, and none has come since
	fleet    *Fleet
	sessions map[string]*kept
	bindings map[Name]placement.Binding
	letters  map[string][]placement.Letter
	events   []Event
	rows     map[Key]placement.Row
	owned    map[string]map[Key]struct{}
	counter  int64
}

var _ Store = (*Memory)(nil)

// kept is a session with what only the store needs.
type kept struct {
	Session

	seq   int64
	until time.Time
	ended bool
}

// Options of a store.
type Options struct {
	// Quarantine is how long nothing new is placed after the store was found empty, so that
	// workers that still have ids can tell: the longest lease that is granted. 0: none.
	Quarantine time.Duration
	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

// NewMemory makes an empty store.
func NewMemory(o Options) *Memory {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Memory{
		options: o, sessions: map[string]*kept{}, bindings: map[Name]placement.Binding{}, letters: map[string][]placement.Letter{},
		rows: map[Key]placement.Row{}, owned: map[string]map[Key]struct{}{},
	}
}

// forgetAfter is how long a session that has ended is still told of.
const forgetAfter = time.Minute

// Ping answers at once.
func (m *Memory) Ping(context.Context) error { return nil }

// Close has nothing to let go of.
func (m *Memory) Close() error { return nil }

// Hold claims the fleet licence.
func (m *Memory) Hold(_ context.Context, mine Fleet) (Fleet, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fleet == nil || mine.Epoch > m.fleet.Epoch {
		m.fleet = &mine
	}
	return *m.fleet, nil
}

// start makes a boot where there is none.
func (m *Memory) start() {
	if m.boot == "" {
		m.seq++
		m.boot, m.open, m.until = strconv.FormatInt(m.seq, 10), false, m.options.Now().Add(m.options.Quarantine)
	}
}

// Changes tells of sessions.
func (m *Memory) Changes(_ context.Context, since Mark) (Changes, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.options.Now()
	m.start()
	m.reap(now)
	c := Changes{Mark: Mark{m.boot, m.seq}, All: since.Boot != m.boot || since.Seq > m.seq}
	if c.All {
		since.Seq = 0
	}
	for _, s := range m.sessions {
		if s.seq > since.Seq && (!c.All || s.left(now) > 0) {
			c.Sessions = append(c.Sessions, s.at(now))
		}
	}
	slices.SortFunc(c.Sessions, func(a, b Session) int { return cmp.Compare(a.ID, b.ID) })
	c.Quarantine = max(0, m.until.Sub(now))
	c.Open = m.open && c.Quarantine == 0
	return c, nil
}

func (s *kept) left(now time.Time) time.Duration {
	if s.ended {
		return 0
	}
	return max(0, s.until.Sub(now))
}

func (s *kept) at(now time.Time) Session {
	out := s.Session
	out.Left = s.left(now)
	return out
}

// reap forgets the sessions that have ended a while ago.
func (m *Memory) reap(now time.Time) {
	for id, s := range m.sessions {
		if s.until.Add(forgetAfter).Before(now) {
			m.lost = m.lost || !s.ended
			delete(m.sessions, id)
		}
	}
}

// Open ends a quarantine.
func (m *Memory) Open(_ context.Context, boot string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if boot != m.boot || m.options.Now().Before(m.until) {
		return ErrCold
	}
	m.open = true
	return nil
}

// Quarantine begins a new boot.
func (m *Memory) Quarantine(_ context.Context, boot string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if boot == m.boot {
		m.boot = ""
		m.start()
	}
	return nil
}

// Register begins a session.
func (m *Memory) Register(_ context.Context, r Registration) (Registered, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.options.Now()
	m.start()
	var out Registered
	names := slices.SortedFunc(maps.Keys(r.Wants), func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.Hostname, b.Hostname), cmp.Compare(a.Namespace, b.Namespace))
	})
	bound := map[Name]placement.Binding{}
	for _, name := range names {
		holds, held := m.bindings[name]
		after, how := placement.Bind(holds, held, len(m.holders(name, holds.Env, r.Session.Client, now)) > 0, r.Wants[name])
		switch how {
		case placement.Refused, placement.Denied:
			return Registered{Conflict: &Conflict{name, holds, how}}, nil
		case placement.Taken:
			out.Superseded = append(out.Superseded, m.holders(name, holds.Env, r.Session.Client, now)...)
		case placement.Agreed:
		}
		bound[name] = after
	}
	maps.Copy(m.bindings, bound)
	slices.Sort(out.Superseded)
	out.Superseded = slices.Compact(out.Superseded)
	for _, id := range out.Superseded {
		m.sessions[id].Superseded = true
		m.write(m.sessions[id])
	}
	lives := false
	for id, s := range m.sessions {
		if s.left(now) <= 0 {
			m.lost = m.lost || !s.ended
			continue
		}
		lives = true
		if s.Client == r.Session.Client || s.Advertise == r.Session.Advertise {
			s.ended, s.until = true, now
			m.write(s)
			out.Ended = append(out.Ended, id)
		}
	}
	slices.Sort(out.Ended)
	if !lives && m.lost {
		m.until = now.Add(m.options.Quarantine)
	}
	m.lost = false
	s := &kept{Session: r.Session, until: now.Add(r.Session.Lease)}
	m.sessions[s.ID] = s
	m.write(s)
	return out, nil
}

// holders are the living sessions that have a name in an environment, but for those of one
// client.
func (m *Memory) holders(name Name, env, but string, now time.Time) []string {
	var out []string
	for id, s := range m.sessions {
		if s.left(now) > 0 && !s.Superseded && s.Client != but && s.Hostname == name.Hostname && s.Envs[name.Namespace] == env && slices.Contains(s.Namespaces, name.Namespace) {
			out = append(out, id)
		}
	}
	return out
}

func (m *Memory) write(s *kept) {
	m.seq++
	s.seq = m.seq
}

// Renew renews a lease.
func (m *Memory) Renew(_ context.Context, r Renewal) (Renewed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.options.Now()
	s := m.sessions[r.Session]
	if s == nil || s.left(now) <= 0 {
		return Renewed{}, nil
	}
	if s.Superseded {
		return Renewed{Session: s.at(now)}, nil
	}
	s.until, s.Headroom, s.Draining = now.Add(s.Lease), r.Headroom, r.Draining
	if r.Verified != nil {
		s.Verified = *r.Verified
	}
	m.write(s)
	acked := map[string]bool{}
	for _, id := range r.Acks {
		acked[id] = true
	}
	letters := placement.Deliver(m.letters[s.Client], acked, now)
	m.setLetters(s.Client, letters)
	return Renewed{Session: s.at(now), Letters: slices.Clone(letters)}, nil
}

func (m *Memory) setLetters(client string, letters []placement.Letter) {
	if len(letters) == 0 {
		delete(m.letters, client)
		return
	}
	m.letters[client] = letters
}

// End ends a session.
func (m *Memory) End(_ context.Context, session string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.options.Now()
	s := m.sessions[session]
	if s == nil || s.left(now) <= 0 {
		return false, nil
	}
	s.ended, s.until = true, now
	m.write(s)
	return true, nil
}

// Order sets a drain.
func (m *Memory) Order(_ context.Context, drain *Drain, sessions ...string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, id := range sessions {
		if s := m.sessions[id]; s != nil && s.left(m.options.Now()) > 0 {
			s.Drain = drain
			m.write(s)
			n++
		}
	}
	return n, nil
}

// Write adds a letter.
func (m *Memory) Write(_ context.Context, client string, l placement.Letter) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seq++
	l.ID = fmt.Sprintf("%016d", m.seq)
	letters := append(slices.Clone(m.letters[client]), l)
	m.letters[client] = letters[max(0, len(letters)-MostLetters):]
	return l.ID, nil
}

// Drop removes letters.
func (m *Memory) Drop(_ context.Context, client string, ids ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.setLetters(client, slices.DeleteFunc(slices.Clone(m.letters[client]), func(l placement.Letter) bool { return slices.Contains(ids, l.ID) }))
	return nil
}

// Bindings returns all bindings.
func (m *Memory) Bindings(context.Context) (map[Name]placement.Binding, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.bindings), nil
}

// Places returns rows.
func (m *Memory) Places(_ context.Context, keys ...Key) ([]placement.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := make([]placement.Row, len(keys))
	for i, k := range keys {
		rows[i] = m.rows[k]
	}
	return rows, nil
}

// Claim makes claims.
func (m *Memory) Claim(_ context.Context, claims ...Claim) ([]Claimed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Claimed, len(claims))
	for i, c := range claims {
		before := m.rows[c.Key]
		if c.Boot != "" && (c.Boot != m.boot || !m.open) {
			out[i] = Claimed{Row: before, Err: ErrCold}
			continue
		}
		after, counter, won, err := placement.Step(before, m.counter, c.Claim)
		m.counter = counter
		if won {
			m.set(c.Key, before, after)
		}
		out[i] = Claimed{Row: after, Won: won, Err: err}
	}
	return out, nil
}

func (m *Memory) set(key Key, before, after placement.Row) {
	if before.Exists() {
		delete(m.owned[before.Session], key)
		if len(m.owned[before.Session]) == 0 {
			delete(m.owned, before.Session)
		}
	}
	if !after.Exists() {
		delete(m.rows, key)
		return
	}
	m.rows[key] = after
	if m.owned[after.Session] == nil {
		m.owned[after.Session] = map[Key]struct{}{}
	}
	m.owned[after.Session][key] = struct{}{}
}

// Release frees rows.
func (m *Memory) Release(_ context.Context, releases ...Release) ([]bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]bool, len(releases))
	for i, r := range releases {
		before := m.rows[r.Key]
		after, counter, freed := placement.Free(before, m.counter, r.Release)
		m.counter = counter
		if freed {
			m.set(r.Key, before, after)
		}
		out[i] = freed
	}
	return out, nil
}

// Owned pages through a session's ids, whose order is that of their names.
func (m *Memory) Owned(_ context.Context, session, cursor string, n int) ([]Key, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(m.owned[session]), func(a, b Key) int { return cmp.Compare(a.text(), b.text()) })
	i, found := slices.BinarySearchFunc(keys, cursor, func(k Key, text string) int { return cmp.Compare(k.text(), text) })
	if found {
		i++
	}
	keys = keys[i:]
	if len(keys) <= n {
		return keys, "", nil
	}
	return keys[:n], keys[n-1].text(), nil
}

// text is a key as one word of words: none of the three has a space.
func (k Key) text() string { return k.Env + " " + k.Namespace + " " + k.ID }

// Count counts ids.
func (m *Memory) Count(_ context.Context, sessions ...string) ([]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]int, len(sessions))
	for i, s := range sessions {
		out[i] = len(m.owned[s])
	}
	return out, nil
}

// Report adds events.
func (m *Memory) Report(_ context.Context, events ...Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range events {
		m.seq++
		e.ID = fmt.Sprintf("%016d", m.seq)
		m.events = append(m.events, e)
	}
	if len(m.events) > MostEvents+MostEvents/10 {
		m.events = slices.Clone(m.events[len(m.events)-MostEvents:])
	}
	return nil
}

// Events returns events.
func (m *Memory) Events(_ context.Context, after string, n int) ([]Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if after == "" {
		return slices.Clone(m.events[max(0, len(m.events)-n):]), nil
	}
	i, found := slices.BinarySearchFunc(m.events, after, func(e Event, id string) int { return cmp.Compare(e.ID, id) })
	if found {
		i++
	}
	return slices.Clone(m.events[i:min(len(m.events), i+n)]), nil
}
