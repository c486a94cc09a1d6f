package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/internal/core/directory"
)

// Stats is what a worker holds. As JSON it is the answer of _pinned/stats (wire
// contract, section 4).
type Stats struct {
	// Draining says that Shutdown has begun.
	Draining bool `json:"draining"`
	// LeaseFlaps and Reregistrations count what happened to the lease. In local
	// mode they are 0.
	LeaseFlaps      int `json:"leaseFlaps"`
	Reregistrations int `json:"reregistrations"`
	// Namespaces has the registered classes.
	Namespaces map[string]NamespaceStats `json:"namespaces"`
	// Instances has what is resident, by namespace and id.
	Instances []InstanceStats `json:"instances"`
	// Process is the whole process.
	Process ProcessStats `json:"process"`
}

// NamespaceStats counts since the worker was made.
type NamespaceStats struct {
	// Activations counts those that succeeded.
	Activations int64 `json:"activations"`
	// Evictions counts those that had been idle.
	Evictions int64 `json:"evictions"`
}

// InstanceStats is one resident instance.
type InstanceStats struct {
	Namespace string
	ID        string
	// Connections counts the requests, streams and sockets in flight, Tasks the
	// background work.
	Connections, Tasks int
	// Idle is the time since the last of them ended; 0 while there are any.
	Idle time.Duration
	// Activated is when its activation ended; zero: it hasn't.
	Activated time.Time
	// Epoch is the placement epoch, 0 in local mode.
	Epoch int64
	// Blocked says what keeps the instance from being evicted: "activating",
	// "connections", "tasks", "closing". Empty: nothing.
	Blocked []string
	// Own is what its Stats hook said. It is empty where the turn wasn't free
	// within a second for all instances together.
	Own map[string]any
}

// ProcessStats is the whole process.
type ProcessStats struct {
	// Uptime is that of the worker.
	Uptime time.Duration
	// RSS is the resident memory in bytes; 0: unknown here.
	RSS int64
}

// MarshalJSON gives the members of the wire contract.
func (s ProcessStats) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		UptimeMs int64 `json:"uptimeMs"`
		RSSBytes int64 `json:"rssBytes,omitempty"`
	}{s.Uptime.Milliseconds(), s.RSS})
}

// MarshalJSON gives the members of the wire contract, and after them those of the
// Stats hook whose names the contract doesn't use.
func (s InstanceStats) MarshalJSON() ([]byte, error) {
	row := struct {
		Namespace   string   `json:"namespace"`
		ID          string   `json:"id"`
		Connections int      `json:"connections"`
		Tasks       int      `json:"tasks"`
		IdleMs      int64    `json:"idleMs"`
		ActivatedAt int64    `json:"activatedAt,omitempty"`
		Epoch       int64    `json:"epoch"`
		Blocked     []string `json:"blocked"`
	}{
		Namespace: s.Namespace, ID: s.ID, Connections: s.Connections, Tasks: s.Tasks, IdleMs: s.Idle.Milliseconds(),
		Epoch: s.Epoch, Blocked: append([]string{}, s.Blocked...),
	}
	if !s.Activated.IsZero() {
		row.ActivatedAt = s.Activated.UnixMilli()
	}
	out, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(out[:len(out)-1])
	for _, name := range slices.Sorted(maps.Keys(s.Own)) {
		if slices.Contains(rowMembers, name) {
			continue
		}
		// A value that JSON has no form for costs its member, not the answer.
		value, err := json.Marshal(s.Own[name])
		if err != nil {
			continue
		}
		key, _ := json.Marshal(name)
		b.WriteByte(',')
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// rowMembers are the names of an instance's row that are not the author's.
var rowMembers = []string{"namespace", "id", "connections", "tasks", "idleMs", "activatedAt", "epoch", "blocked"}

// statsPatience is how long Stats waits for turns, all instances together.
const statsPatience = time.Second

// Stats says what the worker holds. It calls the Stats hooks of the instances,
// each in a turn, and takes about a second at most where some hold theirs.
func (w *Worker) Stats() Stats {
	ctx, cancel := context.WithTimeout(context.Background(), statsPatience)
	defer cancel()
	s := Stats{
		Draining:   w.drain.Err() != nil,
		Namespaces: map[string]NamespaceStats{},
		Instances:  []InstanceStats{},
		Process:    ProcessStats{Uptime: w.now(), RSS: residentBytes()},
	}
	if m := w.member; m != nil {
		m.mu.Lock()
		s.LeaseFlaps, s.Reregistrations = m.flaps, m.reregs
		m.mu.Unlock()
	}
	for ns, k := range *w.kinds.Load() {
		s.Namespaces[ns] = NamespaceStats{Activations: k.activations.Load(), Evictions: k.evictions.Load()}
	}
	for _, in := range w.resident() {
		if row, ok := in.statistics(); ok {
			row.Own = in.own(ctx)
			s.Instances = append(s.Instances, row)
		}
	}
	slices.SortFunc(s.Instances, func(a, b InstanceStats) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.ID, b.ID))
	})
	return s
}

// statistics is the instance's row without its own part. It is false where the
// instance has left in the meantime.
func (in *instance) statistics() (row InstanceStats, ok bool) {
	sh := in.shard
	now := in.w().now()
	sh.mu.Lock()
	defer sh.mu.Unlock()
	state := in.rec.State()
	if state == directory.Gone {
		return row, false
	}
	row = InstanceStats{
		Namespace: sh.kind.namespace, ID: in.rec.ID(), Connections: in.rec.Requests(), Tasks: in.rec.Tasks(),
		Epoch: in.epoch.Load(),
	}
	switch state {
	case directory.Activating, directory.Abandoned:
		row.Blocked = append(row.Blocked, "activating")
		return row, true // activated isn't ours to read yet
	case directory.Closing:
		row.Blocked = append(row.Blocked, "closing")
	case directory.Active, directory.Gone:
	}
	row.Activated = time.UnixMilli(in.activated)
	if row.Connections > 0 {
		row.Blocked = append(row.Blocked, "connections")
	}
	if row.Tasks > 0 {
		row.Blocked = append(row.Blocked, "tasks")
	}
	if row.Connections == 0 && row.Tasks == 0 {
		row.Idle = now - in.rec.IdleSince()
	}
	return row, true
}

// own is what the Stats hook says. It keeps the instance from closing meanwhile,
// but doesn't count as a use of it.
func (in *instance) own(ctx context.Context) (own map[string]any) {
	sh := in.shard
	if !sh.kind.stats {
		return nil
	}
	sh.mu.Lock()
	pinned := sh.dir.Pin(&in.rec)
	sh.mu.Unlock()
	if !pinned {
		return nil
	}
	defer func() {
		sh.mu.Lock()
		in.unlock(sh.dir.Unpin(&in.rec))
	}()
	in.hook(ctx, freeTurn, func(context.Context) { own = in.statser().Stats() })
	return own
}

func (in *instance) statser() pinned.Statser {
	return in.obj.(pinned.Statser) //nolint:errcheck,forcetypeassert // the kind has it
}

// residentBytes is the memory of the process where the system tells it in /proc.
func residentBytes() int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
