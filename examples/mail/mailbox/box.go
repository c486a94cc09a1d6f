package mailbox

import (
	"iter"

	"github.com/pinned-go/pinned"
)

// Box is what waits for one recipient, by the numbers of the messages: a row is written whole at each change, so that the
// messages themselves have rows of their own.
//
//pinned:tray attempts=10 timeout=5m
type Box struct {
	pinned.Tray

	letters pinned.Queue[int]
	// sending is the message that is being sent. It counts the attempts over all parks, and so knows after a crash that
	// the message may have arrived already.
	sending pinned.Outbox[int]
}

// Items gives the number of each message, and takes it out once it was dealt with.
func (b *Box) Items() iter.Seq[int] {
	return func(yield func(int) bool) {
		for {
			n, ok := b.letters.Peek()
			if !ok || !yield(n) {
				return
			}
			b.letters.Pop()
			if b.sending.Attempt() > 0 {
				b.sending.Ack()
			}
		}
	}
}

//pinned:inbox Add
func (b *Box) add(n int) { b.letters.Append(n) }

// skip has a message that was cancelled passed over.
func (b *Box) skip(n int) {
	if head, _ := b.letters.Peek(); head != n {
		return
	}
	switch {
	case b.Parked():
		b.Unpark()
	default:
		b.CancelDispatch()
	}
}
