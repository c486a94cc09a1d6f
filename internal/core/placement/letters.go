package placement

import "time"

// Letter is an order to a worker that it hasn't acked (wire contract, section 2).
type Letter struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Namespace string `json:"ns,omitempty"`
	Instance  string `json:"instance,omitempty"`
	// Deadline is when what is ordered must have happened, in Unix milliseconds; 0 revokes.
	Deadline  int64 `json:"deadline,omitempty"`
	Delivered int   `json:"delivered,omitempty"`
}

// mostDeliveries of a letter, after which it is dropped: workers of 0.9 to 0.14 ack none.
const mostDeliveries = 20

// Deliver takes the letters of a worker, oldest first, and those that it acks, and returns
// which are to be kept, and so delivered now. A letter whose deadline has passed has been
// delivered once at least.
func Deliver(letters []Letter, acked map[string]bool, now time.Time) []Letter {
	var kept []Letter
	for _, l := range letters {
		late := l.Deadline > 0 && now.UnixMilli() >= l.Deadline && l.Delivered > 0
		if acked[l.ID] || late || l.Delivered >= mostDeliveries {
			continue
		}
		l.Delivered++
		kept = append(kept, l)
	}
	return kept
}
