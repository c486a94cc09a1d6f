// Package fence is a worker's memory of the placement epochs at which its ids were served
// (wire contract, section 4): a request that was sent before an id moved away, or before
// its release, must not bring it back to life. Its steps are pure; times are durations
// since any fixed moment.
package fence

import "time"

// Verdict is what a request's epoch means.
type Verdict uint8

const (
	// Pass: nothing newer is known.
	Pass Verdict = iota
	// Stale: the id has had a higher epoch here.
	Stale
	// Released: the id was released at this very epoch.
	Released
)

// String names the verdict.
func (v Verdict) String() string { return [...]string{"pass", "stale", "released"}[v] }

// Key names an instance.
type Key struct{ Namespace, ID string }

// Fences remembers the epochs of ids that aren't resident any more, for a while: no
// request is longer on its way. What is resident has its own epoch. The zero value
// remembers nothing, with a Window of 0.
type Fences struct {
	// Window is how long an epoch is remembered: two lease TTLs.
	Window time.Duration

	ended map[Key]end
	order []entry // as they were remembered, the oldest first
}

type end struct {
	epoch int64
	at    time.Duration
}

type entry struct {
	key Key
	at  time.Duration
}

// End remembers that an id's instance has ended at an epoch, which is refused from then
// on, and so is every lower one.
func (f *Fences) End(key Key, epoch int64, now time.Duration) {
	f.forget(now)
	if f.ended == nil {
		f.ended = map[Key]end{}
	}
	if e, ok := f.ended[key]; ok {
		epoch = max(epoch, e.epoch)
	}
	f.ended[key] = end{epoch, now}
	f.order = append(f.order, entry{key, now})
}

// Check says what the epoch of a request means for an id that isn't resident.
func (f *Fences) Check(key Key, epoch int64, now time.Duration) Verdict {
	e, ok := f.ended[key]
	switch {
	case !ok || now-e.at >= f.Window || epoch > e.epoch:
		return Pass
	case epoch == e.epoch:
		return Released
	}
	return Stale
}

// Len counts the ids that are remembered.
func (f *Fences) Len() int { return len(f.ended) }

// forget drops what is older than the window. It costs as much as was remembered.
func (f *Fences) forget(now time.Duration) {
	n := 0
	for ; n < len(f.order) && now-f.order[n].at >= f.Window; n++ {
		// One that was remembered again since has a later place too.
		if o := f.order[n]; f.ended[o.key].at == o.at {
			delete(f.ended, o.key)
		}
	}
	if n > 0 {
		f.order = append(f.order[:0:0], f.order[n:]...)
	}
}
