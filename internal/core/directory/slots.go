package directory

// Slots bounds how many activations run at once. Those over the bound run in the
// order in which they came. V is the shell's activation.
type Slots[V any] struct {
	// Max is how many run at once.
	Max     int
	running int
	queue   []V // first come first served, from head on
	head    int
}

// Ask is an activation that wants to run: true where it may at once. Otherwise it
// stays queued until a Free returns it.
func (s *Slots[V]) Ask(v V) bool {
	if s.running < s.Max {
		s.running++
		return true
	}
	s.queue = append(s.queue, v)
	return false
}

// Free is an activation that has ended. Its slot goes to the next in the queue,
// which may run now, if there is one.
func (s *Slots[V]) Free() (next V, ok bool) {
	if s.head == len(s.queue) {
		s.running--
		return next, false
	}
	var none V
	next, s.queue[s.head] = s.queue[s.head], none
	s.head++
	// The consumed half goes when it is the larger one, so that a long queue costs
	// no more than twice its length.
	if s.head*2 >= len(s.queue) {
		s.queue = append(s.queue[:0:0], s.queue[s.head:]...)
		s.head = 0
	}
	return next, true
}

// Queued counts those that wait for a slot.
func (s *Slots[V]) Queued() int { return len(s.queue) - s.head }

// Running counts those that have one.
func (s *Slots[V]) Running() int { return s.running }
