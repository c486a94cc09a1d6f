package directory

// Residence counts what lives in all shards of a worker, and says whether there
// may be more.
type Residence struct {
	// Max is how many may be resident at once, activating and closing ones
	// included.
	Max      int
	resident int
	phase    phase
}

type phase uint8

const (
	waiting phase = iota // for Begin
	admitting
	draining
)

// Admission is an answer of Admit.
type Admission uint8

// Answers of Admit.
const (
	Admitted Admission = iota
	// Full: as many as may be are resident.
	Full
	// Draining: nothing new begins any more.
	Draining
	// NotBegun: nothing begins yet.
	NotBegun
)

// Begin lets values become resident. It is false after Drain.
func (r *Residence) Begin() bool {
	if r.phase == draining {
		return false
	}
	r.phase = admitting
	return true
}

// Would says what Admit would answer, and counts nothing.
func (r *Residence) Would() Admission {
	switch {
	case r.phase == waiting:
		return NotBegun
	case r.phase == draining:
		return Draining
	case r.resident >= r.Max:
		return Full
	}
	return Admitted
}

// Admit counts one more, where it is Admitted.
func (r *Residence) Admit() Admission {
	answer := r.Would()
	if answer == Admitted {
		r.resident++
	}
	return answer
}

// Depart takes one away. It reports whether that was the last of a drain.
func (r *Residence) Depart() (drained bool) {
	r.resident--
	return r.phase == draining && r.resident == 0
}

// Drain refuses all that is new from now on. It reports whether nothing is
// resident; otherwise the Depart of the last one will. first is false when it
// was called before.
func (r *Residence) Drain() (first, drained bool) {
	first = r.phase != draining
	r.phase = draining
	return first, r.resident == 0
}

// Resident counts those that live.
func (r *Residence) Resident() int { return r.resident }
