// Package mailbox sends mail that isn't lost: one live Mailbox per account.
package mailbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/pinned-go/pinned"
)

//go:generate go tool pinnedgen

// Mailbox is what one account sends. A message that was accepted is durable, and is tried until it was sent, refused,
// or cancelled, whatever becomes of the process. Each recipient has a tray, so that one whose mail server fails holds up
// nobody else, and gets what was accepted for them in that order.
//
//pinned:object /mail
type Mailbox struct {
	pinned.Object

	// Out is how mail leaves: a setup sets it.
	Out Out

	last     pinned.Value[int]    // the number of the newest message
	messages pinned.Map[Message]  // by number
	boxes    pinned.TraysOf[Box]  // by recipient
	waiting  pinned.Map[struct{}] // by recipient: those for whom a message waits
	news     pinned.Map[Message]  // by number: what was sent or refused since the last digest
}

// Out is how mail leaves.
type Out struct {
	Sender Sender
	From   string        // the address that mail comes from
	Retry  time.Duration // between two attempts; 0: 1 s, doubling to 5 min
}

// Sender hands one mail to a mail server. An error that is ErrRefused is for good; after any other the mail is tried again.
type Sender interface {
	Send(ctx context.Context, from, to string, mail []byte) error
}

// ErrRefused says that a mail server doesn't want a mail, now or later.
var ErrRefused = errors.New("refused")

// Send accepts a message. The answer leaves when the message is durable; sending it comes afterwards.
//
//pinned:route POST /messages
func (m *Mailbox) Send(ctx context.Context, req Send) (*pinned.Response[Message], error) {
	msg, err := m.accept(ctx, Message{To: req.To, Subject: req.Subject, Body: req.Body})
	if err != nil {
		return nil, err
	}
	return &pinned.Response[Message]{Status: http.StatusAccepted, Body: msg}, nil
}

// accept queues a message for its recipient. From the opening of the box on, nothing gives the turn up: the message, its
// number and its place in the box are one segment, which no crash tears.
func (m *Mailbox) accept(ctx context.Context, msg Message) (Message, error) {
	box, err := m.boxes.Get(ctx, msg.To)
	if err != nil {
		return Message{}, err
	}
	_, host, _ := strings.Cut(m.Out.From, "@")
	msg.N = m.last.Get() + 1
	msg.ID = "<" + rand.Text() + "@" + cmp.Or(host, "localhost") + ">"
	msg.At = m.Now().UTC().Truncate(time.Second)
	msg.Status = Queued
	m.last.Set(msg.N)
	m.messages.Put(ctx, key(msg.N), msg)
	m.waiting.Put(ctx, msg.To, struct{}{})
	box.Add(msg.N)
	return msg, nil
}

// Messages streams what was accepted after a message, the oldest first.
//
//pinned:route GET /messages
func (m *Mailbox) Messages(ctx context.Context, q Page) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for entry, err := range m.messages.Scan(ctx, pinned.Range{After: key(q.After)}) {
			if !yield(entry.Value, err) || err != nil {
				return
			}
		}
	}
}

// Message returns a message.
//
//pinned:route GET /messages/{n}
func (m *Mailbox) Message(ctx context.Context, n int) (Message, error) {
	msg, ok, err := m.messages.Get(ctx, key(n))
	if err == nil && !ok {
		err = ErrNoMessage
	}
	return msg, err
}

// Cancel keeps a message from being sent. One that is on its way at this moment may arrive all the same.
//
//pinned:route DELETE /messages/{n}
func (m *Mailbox) Cancel(ctx context.Context, n int) error {
	msg, err := m.Message(ctx, n)
	if err != nil {
		return err
	}
	box, err := m.boxes.Find(ctx, msg.To)
	if err != nil {
		return err
	}
	// The turn was given up since: the message may have been sent.
	if msg, err = m.Message(ctx, n); err != nil {
		return err
	}
	if msg.Status != Queued || box == nil {
		return ErrSettled
	}
	m.settle(ctx, box, msg, Cancelled, nil)
	box.skip(n)
	return nil
}

// Recipients returns those for whom a message waits.
//
//pinned:route GET /recipients
func (m *Mailbox) Recipients(ctx context.Context) ([]Recipient, error) {
	all := []Recipient{}
	for entry, err := range m.waiting.Scan(ctx, pinned.Range{}) {
		if err != nil {
			return nil, err
		}
		box, err := m.boxes.Find(ctx, entry.Key)
		if err != nil {
			return nil, err
		}
		if box == nil {
			continue
		}
		recipient := Recipient{To: entry.Key, Parked: box.Parked(), Attempts: box.sending.Attempt()}
		for _, n := range box.letters.All() {
			msg, err := m.Message(ctx, n)
			if err != nil {
				return nil, err
			}
			if msg.Status != Queued {
				continue
			}
			if recipient.Messages = append(recipient.Messages, n); len(recipient.Messages) == 1 {
				recipient.Error = msg.Error
			}
		}
		if len(recipient.Messages) == 0 {
			continue // sent since the page was read
		}
		all = append(all, recipient)
	}
	return all, nil
}

// Unpark has a recipient tried again whose messages are parked. It returns ErrNotParked where they aren't.
//
//pinned:route POST /recipients/{to}/unpark
func (m *Mailbox) Unpark(ctx context.Context, to string) error {
	if address("to", to) != nil {
		return ErrNotParked
	}
	box, err := m.boxes.Find(ctx, to)
	if err != nil {
		return err
	}
	if box == nil || !box.Parked() {
		return ErrNotParked
	}
	box.Unpark()
	return nil
}

// deliver sends a message, at least once: where the process dies after the mail server has taken it, and before that is
// durable here, it is sent once more. Its Message-ID, by which readers and servers tell a repetition, stays the same.
//
//pinned:handle boxes
func (m *Mailbox) deliver(ctx context.Context, n int, d *pinned.Dispatch) error {
	msg, err := m.Message(ctx, n)
	if err != nil {
		return err
	}
	box, err := m.boxes.Get(ctx, msg.To)
	if err != nil {
		return err
	}
	if msg.Status != Queued { // cancelled while others were before it
		m.leave(ctx, box)
		return nil
	}
	msg.Attempts = box.sending.Dispatch(n)
	m.messages.Put(ctx, key(n), msg)

	// What Await runs begins when the attempt is durable, and other turns go on meanwhile.
	mail := msg.mail(m.ID(), m.Out.From)
	failure := pinned.Await(ctx, func(ctx context.Context) error {
		return m.Out.Sender.Send(ctx, m.Out.From, msg.To, mail)
	})
	now, err := m.Message(ctx, n)
	switch {
	case err != nil:
		return err
	case failure == nil:
		m.settle(ctx, box, msg, Sent, nil)
		return nil
	case now.Status != Queued: // cancelled meanwhile
		return nil
	case errors.Is(failure, ErrRefused):
		m.settle(ctx, box, msg, Refused, failure)
		return nil
	case ctx.Err() != nil: // the worker ends; the next one tries again
		return failure
	}
	msg.Error = failure.Error()
	m.messages.Put(ctx, key(n), msg)
	if m.Out.Retry > 0 {
		return fmt.Errorf("%w: %w", failure, &pinned.Error{RetryAfter: m.Out.Retry})
	}
	return failure
}

// settle notes how a message has ended.
func (m *Mailbox) settle(ctx context.Context, box *Box, msg Message, as Status, failure error) {
	msg.Status, msg.Settled, msg.Body, msg.Error = as, m.Now().UTC().Truncate(time.Second), "", ""
	if failure != nil {
		msg.Error = failure.Error()
	}
	m.messages.Put(ctx, key(msg.N), msg)
	m.leave(ctx, box)
	if as != Cancelled && !msg.Digest {
		m.news.Put(ctx, key(msg.N), msg)
	}
}

// leave is for a message that was settled, and that its box still has: with the last one its recipient waits no more.
func (m *Mailbox) leave(ctx context.Context, box *Box) {
	if box.letters.Len() == 1 {
		m.waiting.Delete(ctx, box.Key())
	}
}

// key is the number of a message so that the order of keys is that of numbers.
func key(n int) string { return fmt.Sprintf("%012d", n) }
