package store

import (
	"context"
	"errors"
	"time"

	"github.com/pinned-go/pinned/internal/core/placement"
)

// Store is what the nodes share. All of it may be called side by side.
//
// An error that wraps ErrRefused says that the call did nothing. After any other error of a
// call that writes, whether it was done isn't known: its caller reads, and acts on what
// stands there.
type Store interface {
	Agreement
	Sessions
	Placements
	Ring

	// Ping answers once the store does.
	Ping(ctx context.Context) error
	// Close lets go of what the store holds here.
	Close() error
}

// Agreement is what all nodes must see alike.
type Agreement interface {
	// Hold claims the fleet licence: the first node's is written, and a higher epoch's
	// overwrites it. It returns the one that stands.
	Hold(ctx context.Context, mine Fleet) (Fleet, error)
	// Changes returns the sessions that were written or ended since a mark, and how things
	// stand. The zero Mark asks for all.
	Changes(ctx context.Context, since Mark) (Changes, error)
	// Open ends the quarantine of a boot, when its time is over: from then on ids are
	// claimed. Of another boot, or before that time, it is ErrCold.
	Open(ctx context.Context, boot string) error
	// Quarantine begins a new boot, for a bucket was found wiped, unless there is another
	// than the one named already.
	Quarantine(ctx context.Context, boot string) error
}

// Sessions are the workers.
type Sessions interface {
	// Register begins a session, with its bindings, or does nothing and says why. Where no
	// session lives though there were some, which an old snapshot of the store looks like, a
	// quarantine begins too.
	Register(ctx context.Context, r Registration) (Registered, error)
	// Renew renews a session's lease, with what its heartbeat tells, and returns it with the
	// letters that wait for its worker. Its session has no ID where there is none any more.
	Renew(ctx context.Context, r Renewal) (Renewed, error)
	// End ends a session at once. It reports whether it was there.
	End(ctx context.Context, session string) (bool, error)
	// Order sets the drain that sessions are ordered; nil lifts it. It returns how many of
	// them were there.
	Order(ctx context.Context, drain *Drain, sessions ...string) (int, error)
	// Write adds a letter for a client. The store gives it its ID, which is returned. A
	// client has at most MostLetters, of which the oldest go.
	Write(ctx context.Context, client string, l placement.Letter) (string, error)
	// Drop removes letters.
	Drop(ctx context.Context, client string, ids ...string) error
	// Bindings returns all bindings.
	Bindings(ctx context.Context) (map[Name]placement.Binding, error)
}

// Placements are the rows of ids.
type Placements interface {
	// Places returns the rows of ids, in their order.
	Places(ctx context.Context, keys ...Key) ([]placement.Row, error)
	// Claim makes claims (placement.Step), each by itself, in their order. The error is that
	// of the call; that of one claim is in its answer.
	Claim(ctx context.Context, claims ...Claim) ([]Claimed, error)
	// Release frees rows (placement.Free), and returns for each whether it did.
	Release(ctx context.Context, releases ...Release) ([]bool, error)
	// Owned pages through the ids that a session has, in no order, n at a time or a few
	// more. It begins with "", and has ended when it returns that.
	Owned(ctx context.Context, session, cursor string, n int) (keys []Key, next string, err error)
	// Count is how many ids each session has.
	Count(ctx context.Context, sessions ...string) ([]int, error)
}

// Ring is what has happened lately.
type Ring interface {
	// Report adds events to the ring, which keeps the last MostEvents or a few more.
	Report(ctx context.Context, events ...Event) error
	// Events returns events after one, oldest first; with "", the last n.
	Events(ctx context.Context, after string, n int) ([]Event, error)
}

// Limits of what is kept.
const (
	MostEvents  = 10_000
	MostLetters = 1_000
)

// ErrRefused says that a call did nothing.
var ErrRefused = errors.New("the store did nothing")

// ErrCold says that an id's bucket isn't open under the boot that was named: the store was
// wiped, or is in quarantine.
var ErrCold = errors.New("the store isn't open for new placements")

// Key names an id.
type Key struct{ Env, Namespace, ID string }

// Name is what a binding binds. Hostname is "*" where the fleet doesn't look at them.
type Name struct{ Hostname, Namespace string }

// Fleet is the fleet licence: what all nodes must have been set up with alike (pinboard
// contract, section 5).
type Fleet struct {
	Schema        int   `json:"schema"`
	Shards        int   `json:"shards"`
	HostnameAware bool  `json:"hostnameAware"`
	Epoch         int64 `json:"epoch"`
}

// Session is a worker, from a registration on until its lease ends.
type Session struct {
	ID        string `json:"id"`
	Client    string `json:"client"`
	Secret    Secret `json:"secret"`
	Advertise string `json:"advertise"`
	// Generation is 1 for a worker of the first, and 2 for a current one.
	Generation int               `json:"generation"`
	Namespaces []string          `json:"namespaces"`
	Hostname   string            `json:"hostname,omitempty"`
	Env        string            `json:"env,omitempty"`  // as registered
	Envs       map[string]string `json:"envs,omitempty"` // of each namespace, "*" where hostnames aren't looked at
	Epoch      int64             `json:"epoch,omitempty"`
	Deny       bool              `json:"deny,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Features   []string          `json:"features,omitempty"`
	// Lease is what is granted at each ack.
	Lease time.Duration `json:"lease"`
	// At is when it was registered, in Unix milliseconds.
	At int64 `json:"at"`

	State `json:"-"`
}

// State is what of a session changes.
type State struct {
	Headroom float64 // MiB
	Draining bool    // by itself
	Drain    *Drain  // by an operator's order
	// Superseded says that another environment has taken a binding of it over.
	Superseded bool
	// Verified says that its last challenge was met.
	Verified bool
	// Left is what is left of the lease, when it was read. At 0 the session has ended.
	Left time.Duration
}

// Go reports whether the worker is one of ours.
func (s *Session) Go() bool { return len(s.Features) > 0 }

// Drain is an order to give all ids up.
type Drain struct {
	// Deadline in Unix milliseconds; 0: none.
	Deadline int64 `json:"deadline,omitempty"`
}

// Secret is a worker's. It is shown nowhere.
type Secret string

// String hides it.
func (Secret) String() string { return "…" }

// GoString hides it.
func (Secret) GoString() string { return `"…"` }

// Mark is how far a node has read the sessions.
type Mark struct {
	Boot string
	Seq  int64
}

// Changes are what has happened to sessions since a mark.
type Changes struct {
	// Mark is to be given next time.
	Mark Mark
	// All says that Sessions are all there are: the mark was zero, or of another boot.
	All bool
	// Sessions that were written, and those that ended, whose Left is 0.
	Sessions []Session
	// Open says that new ids are placed. Where it is false, Quarantine is how long that is
	// still to be so, and at 0 Open may be called.
	Open       bool
	Quarantine time.Duration
}

// Registration is a session that is to begin.
type Registration struct {
	Session Session
	// Wants are the bindings that it needs.
	Wants map[Name]placement.Binding
}

// Registered is what a registration came to.
type Registered struct {
	// Ended are the sessions that ended with it: that of the same client, and that of the
	// same address.
	Ended []string
	// Superseded are the sessions whose binding was taken over.
	Superseded []string
	// Conflict names the binding that refused it; nil: it has begun.
	Conflict *Conflict
}

// Conflict is a binding that refuses a registration.
type Conflict struct {
	Name  Name
	Holds placement.Binding
	Why   placement.Bound
}

// Renewal is a heartbeat.
type Renewal struct {
	Session  string
	Headroom float64
	Draining bool
	// Verified, where it isn't nil, is what came of a challenge.
	Verified *bool
	Acks     []string
}

// Renewed is a session with what waits for it.
type Renewed struct {
	Session Session
	Letters []placement.Letter
}

// Claim is a claim of an id.
type Claim struct {
	Key Key
	placement.Claim
	// Boot under which it is made. With "" it is a reclaim, which a quarantine allows.
	Boot string
}

// Claimed is what a claim came to.
type Claimed struct {
	// Row is what stands there.
	Row placement.Row
	Won bool
	// Err is ErrCold or placement.ErrEpoch.
	Err error
}

// Release is a release of an id.
type Release struct {
	Key Key
	placement.Release
}

// Event is something that happened in the fleet, for people.
type Event struct {
	ID        string            `json:"id"` // the store's, ordered
	At        int64             `json:"at"` // Unix milliseconds
	Type      string            `json:"type"`
	Env       string            `json:"env,omitempty"`
	Namespace string            `json:"namespace,omitempty"`
	Instance  string            `json:"instance,omitempty"`
	Session   string            `json:"session,omitempty"`
	Client    string            `json:"client,omitempty"`
	Detail    map[string]string `json:"detail,omitempty"`
}
