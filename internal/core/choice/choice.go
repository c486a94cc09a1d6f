// Package choice is how a pinboard chooses the worker of an id that has none (pinboard
// contract, section 2), and when it makes an id wait instead: after failed activations,
// and after its store was wiped. Its steps are pure: times come in, as durations since any
// fixed moment, and so does chance.
package choice

import "slices"

// Candidate is a worker's session as the registry has it.
type Candidate struct {
	Session    string
	Namespaces []string
	Env        string // of the namespace that is asked for
	Headroom   float64
	Labels     map[string]string
	Features   []string
	Draining   bool // by itself or by an order
	// Placed is how many ids this node has given it since its last heartbeat.
	Placed int
}

// Want is what an id needs of a worker.
type Want struct {
	Namespace, Env string
	// Labels that the worker must have, with their values; one whose value is "" may have
	// any.
	Labels map[string]string
	// Feature that the worker must speak; "": none.
	Feature string
	// Avoid are sessions that have refused the id since their last heartbeat.
	Avoid []string
	// Prefer is the session of the id that this one wants to be near; "": none.
	Prefer string
}

// load is the headroom that one id counts for, in MiB, until a heartbeat tells.
const load = 1

// Fits reports whether a worker may have an id at all.
func (w Want) Fits(c Candidate) bool {
	if c.Draining || c.Env != w.Env || !slices.Contains(c.Namespaces, w.Namespace) || slices.Contains(w.Avoid, c.Session) {
		return false
	}
	if w.Feature != "" && !slices.Contains(c.Features, w.Feature) {
		return false
	}
	for name, value := range w.Labels {
		if has, ok := c.Labels[name]; !ok || value != "" && has != value {
			return false
		}
	}
	return true
}

// Choose is the place of the chosen candidate, or -1 where none fits. Of two that chance
// picks, the one with more left is taken, so that a worker that has just come isn't fallen
// upon by all nodes at once. chance is in [0, 1), and is asked twice at most.
func Choose(candidates []Candidate, w Want, chance func() float64) int {
	var fit []int
	for i, c := range candidates {
		if w.Fits(c) {
			if c.Session == w.Prefer && w.Prefer != "" {
				return i
			}
			fit = append(fit, i)
		}
	}
	switch len(fit) {
	case 0:
		return -1
	case 1:
		return fit[0]
	}
	a := int(chance() * float64(len(fit)))
	b := int(chance() * float64(len(fit)-1))
	if b >= a {
		b++
	}
	if candidates[fit[b]].left() > candidates[fit[a]].left() {
		a = b
	}
	return fit[a]
}

func (c Candidate) left() float64 { return c.Headroom - load*float64(c.Placed) }
