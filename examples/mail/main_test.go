package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/examples/mail/mailbox"
)

const (
	ada   = "ada@example.com"
	bob   = "bob@example.org"
	owner = "owner@example.net"
)

func TestAcceptedMailSurvivesKill(t *testing.T) {
	db := file(t)
	var healthy atomic.Bool
	s := (&server{rcpt: func(string) string {
		if healthy.Load() {
			return "250 fine"
		}
		return "451 later"
	}}).serve(t)
	want := map[string][]string{}
	for round := range 3 {
		p := start(t, db, s.addr, "-retry", "20ms")
		for n := range 4 {
			for _, to := range []string{ada, bob} {
				subject := fmt.Sprintf("%d.%d", round, n)
				p.send(t, to, subject)
				want[to] = append(want[to], subject)
			}
		}
		p.kill() // the last message was accepted at this moment
	}
	healthy.Store(true)
	start(t, db, s.addr, "-retry", "20ms") // and nobody calls it
	mails := s.get(t, 24)
	for to := range want {
		if diff := cmp.Diff(want[to], subjects(mails, to)); diff != "" {
			t.Errorf("to %s (-accepted +sent):\n%s", to, diff)
		}
	}
}

func TestAMailThatWasTakenBeforeTheKillIsRepeatedAsItWas(t *testing.T) {
	db := file(t)
	var p *program
	taken := make(chan letter, 2)
	first := true
	s := &server{taken: func(l letter) string {
		if first {
			first = false
			p.kill() // before it hears that the mail was taken
		}
		taken <- l
		return "250 taken"
	}}
	s.serve(t)
	p = start(t, db, s.addr)
	p.send(t, ada, "once")
	before := <-taken
	p = start(t, db, s.addr)
	after := <-taken
	if before != after || before.id == "" {
		t.Errorf("%+v was repeated as %+v", before, after)
	}
	until(t, func(ctx context.Context) (bool, error) {
		m, err := p.box.Message(ctx, 1)
		return m.Status == mailbox.Sent && m.Attempts == 2, err
	})
}

func TestARecipientThatFailsHoldsUpNobodyAndIsTriedUntilItWorks(t *testing.T) {
	var healthy atomic.Bool
	s := (&server{rcpt: func(to string) string {
		if to == ada && !healthy.Load() {
			return "451 come back later"
		}
		return "250 fine"
	}}).serve(t)
	p := start(t, file(t), s.addr) // with the backoff of the machine
	p.send(t, ada, "first", "second")
	p.send(t, bob, "third", "fourth")
	if diff := cmp.Diff([]string{"third", "fourth"}, subjects(s.get(t, 2), bob)); diff != "" {
		t.Error(diff)
	}
	until(t, func(ctx context.Context) (bool, error) {
		m, err := p.box.Message(ctx, 1)
		return m.Status == mailbox.Queued && m.Attempts == 2 && strings.Contains(m.Error, "come back later"), err
	})
	healthy.Store(true)
	if diff := cmp.Diff([]string{"first", "second"}, subjects(s.get(t, 4), ada)); diff != "" {
		t.Error(diff)
	}
	until(t, func(ctx context.Context) (bool, error) {
		waiting, err := p.box.Recipients(ctx)
		return len(waiting) == 0, err
	})
}

func TestARecipientParksUntilItIsUnparked(t *testing.T) {
	db := file(t)
	var healthy atomic.Bool
	s := (&server{rcpt: func(string) string {
		if healthy.Load() {
			return "250 fine"
		}
		return "421 closed today"
	}}).serve(t)
	p := start(t, db, s.addr, "-retry", "1ms")
	p.send(t, ada, "first", "cancelled", "third")
	if err := p.box.Unpark(t.Context(), bob); !errors.Is(err, mailbox.ErrNotParked) {
		t.Error("nobody was unparked:", err)
	}
	parked := func(p *program) func(ctx context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			waiting, err := p.box.Recipients(ctx)
			return len(waiting) == 1 && waiting[0].Parked, err
		}
	}
	until(t, parked(p))

	p.kill()
	p = start(t, db, s.addr, "-retry", "1ms")
	until(t, parked(p))
	if err := p.box.Cancel(t.Context(), 2); err != nil {
		t.Error(err)
	}
	waiting, err := p.box.Recipients(t.Context())
	if err != nil || len(waiting) != 1 || !strings.Contains(waiting[0].Error, "closed today") {
		t.Fatalf("%+v, %v", waiting, err)
	}
	waiting[0].Error = ""
	if diff := cmp.Diff(mailbox.Recipient{To: ada, Parked: true, Attempts: 10, Messages: []int{1, 3}}, waiting[0]); diff != "" {
		t.Error(diff)
	}
	s.mu.Lock()
	asked := s.asked[ada]
	s.mu.Unlock()
	if asked != 10 {
		t.Errorf("the server was asked %d times", asked)
	}

	healthy.Store(true)
	if err := p.box.Unpark(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"first", "third"}, subjects(s.get(t, 2), ada)); diff != "" {
		t.Error(diff)
	}
	for n, want := range map[int]mailbox.Status{1: mailbox.Sent, 2: mailbox.Cancelled, 3: mailbox.Sent} {
		until(t, func(ctx context.Context) (bool, error) {
			m, err := p.box.Message(ctx, n)
			return m.Status == want, err
		})
	}
	if err := p.box.Cancel(t.Context(), 1); !errors.Is(err, mailbox.ErrSettled) {
		t.Error("what was sent was cancelled:", err)
	}
}

func TestTheHeadOfWhatWaitsCanBeCancelled(t *testing.T) {
	for name, test := range map[string]struct {
		retry string
		reply string // "": none comes
		ready func(mailbox.Recipient) bool
	}{
		"while it is sent":     {"1h", "", func(r mailbox.Recipient) bool { return r.Attempts == 1 }},
		"between two attempts": {"1h", "451 later", func(r mailbox.Recipient) bool { return r.Error != "" }},
		"parked":               {"1ms", "451 later", func(r mailbox.Recipient) bool { return r.Parked }},
	} {
		t.Run(name, func(t *testing.T) {
			var healthy atomic.Bool
			asked := make(chan struct{}, 100)
			s := (&server{rcpt: func(string) string {
				if healthy.Load() {
					return "250 fine"
				}
				asked <- struct{}{}
				if test.reply == "" {
					<-t.Context().Done()
				}
				return test.reply
			}}).serve(t)
			p := start(t, file(t), s.addr, "-retry", test.retry)
			p.send(t, ada, "first", "second")
			<-asked
			until(t, func(ctx context.Context) (bool, error) {
				waiting, err := p.box.Recipients(ctx)
				return len(waiting) == 1 && test.ready(waiting[0]), err
			})
			healthy.Store(true)
			if err := p.box.Cancel(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"second"}, subjects(s.get(t, 1), ada)); diff != "" {
				t.Error(diff)
			}
			if m, err := p.box.Message(t.Context(), 1); err != nil || m.Status != mailbox.Cancelled {
				t.Errorf("%+v, %v", m, err)
			}
		})
	}
}

func TestWhatAServerRefusesIsNotTriedAgain(t *testing.T) {
	s := (&server{taken: func(l letter) string {
		if l.subject == "spam" {
			return "550 not here"
		}
		return "250 fine"
	}}).serve(t)
	p := start(t, file(t), s.addr)
	p.send(t, ada, "spam", "ham")
	until(t, func(ctx context.Context) (bool, error) {
		m, err := p.box.Message(ctx, 2)
		return m.Status == mailbox.Sent, err
	})
	m, err := p.box.Message(t.Context(), 1)
	if err != nil || m.Status != mailbox.Refused || !strings.Contains(m.Error, "550") || m.Attempts != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestTheDigestTellsWhatBecameOfTheMail(t *testing.T) {
	db := file(t)
	var killed atomic.Bool
	killing := make(chan struct{})
	s := (&server{rcpt: func(to string) string {
		switch {
		case to == bob:
			return "550 no such user"
		case strings.HasPrefix(to, "away"):
			return "451 later"
		case to == owner && !killed.Load():
			<-killing
		}
		return "250 fine"
	}}).serve(t)
	p := start(t, db, s.addr, "-retry", "1h")
	if err := p.box.DigestNow(t.Context()); !errors.Is(err, mailbox.ErrNoDigest) {
		t.Error("a digest that nobody asked for:", err)
	}
	var e *pinned.Error
	if _, err := p.box.SetDigest(t.Context(), mailbox.Digest{To: owner, Cron: "at eight"}); !errors.As(err, &e) || e.Status != http.StatusBadRequest {
		t.Error("a schedule that is none:", err)
	}
	if _, err := p.box.SetDigest(t.Context(), mailbox.Digest{To: owner, Cron: "0 8 * * *", Zone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	p.send(t, ada, "to Ada")
	p.send(t, bob, "to Bob")
	p.send(t, "away@example.com", "to somebody")
	for n, want := range map[int]mailbox.Status{1: mailbox.Sent, 2: mailbox.Refused, 3: mailbox.Queued} {
		until(t, func(ctx context.Context) (bool, error) {
			m, err := p.box.Message(ctx, n)
			return m.Status == want && m.Attempts == 1, err
		})
	}
	if err := p.box.DigestNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.kill()
	killed.Store(true)
	close(killing)
	p = start(t, db, s.addr, "-retry", "1h")
	mails := s.get(t, 2)
	digest := mails[1]
	if digest.to != owner || digest.subject != "shop: 1 sent, 1 refused, 1 waiting" {
		t.Errorf("%+v", digest)
	}
	for _, want := range []string{"Sent\n  ada@example.com: to Ada", "Refused\n  bob@example.org: to Bob", "550", "Waiting\n  away@example.com: 1 to send"} {
		if !strings.Contains(digest.text, want) {
			t.Errorf("%q isn't in the digest:\n%s", want, digest.text)
		}
	}

	// The next one tells only what is new, and nothing of digests once they are sent. The server has a mail before its
	// box has noted that.
	until(t, func(ctx context.Context) (bool, error) {
		m, err := p.box.Message(ctx, 4)
		return m.Status == mailbox.Sent && m.Digest, err
	})
	if err := p.box.DigestNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if next := s.get(t, 3)[2]; next.subject != "shop: 0 sent, 0 refused, 1 waiting" {
		t.Errorf("%+v", next)
	}
	scheduled, err := p.box.Digest(t.Context())
	if err != nil || scheduled.To != owner || scheduled.Next.IsZero() {
		t.Errorf("%+v, %v", scheduled, err)
	}
}
