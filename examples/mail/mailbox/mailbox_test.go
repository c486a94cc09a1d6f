package mailbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/durability"
	"github.com/pinned-go/pinned/examples/mail/mailbox"
	"github.com/pinned-go/pinned/runtime"
)

// sender keeps what it is given.
type sender struct {
	mu    sync.Mutex
	fails error
	sent  []string
	tried int
}

// fail has all that follows fail, unless the error is nil.
func (s *sender) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err
}

// saw is what was sent, and how often it was tried to.
func (s *sender) saw() (sent []string, tried int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent), s.tried
}

// Send implements mailbox.Sender.
func (s *sender) Send(_ context.Context, from, to string, mail []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tried++; s.fails != nil {
		return s.fails
	}
	s.sent = append(s.sent, fmt.Sprintf("%s > %s\n%s", from, to, mail))
	return nil
}

// inTime runs f with an account, in virtual time.
func inTime(t *testing.T, f func(t *testing.T, s *sender, box mailbox.MailboxCalls)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		worker, err := runtime.NewWorker(runtime.WithStore(durability.NewMemory()))
		if err != nil {
			t.Fatal(err)
		}
		s := &sender{}
		mailbox.Register(worker, mailbox.SetupMailbox(func(m *mailbox.Mailbox) {
			m.Out = mailbox.Out{Sender: s, From: "mail@example.com"}
		}))
		if err := worker.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		f(t, s, mailbox.InProcess(worker).Mailbox("shop"))
		if err := worker.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func later(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestAMailIsWrittenForMailServers(t *testing.T) {
	inTime(t, func(t *testing.T, s *sender, box mailbox.MailboxCalls) {
		m, err := box.Send(t.Context(), mailbox.Send{To: "ada@example.org", Subject: "Grüße", Body: "Hallo,\n.\nschön!"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := "mail@example.com > ada@example.org\n" + strings.ReplaceAll(`From: "shop" <mail@example.com>
To: ada@example.org
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Date: Sat, 01 Jan 2000 00:00:00 +0000
Message-ID: `+m.Body.ID+`
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Hallo,
.
sch=C3=B6n!
`, "\n", "\r\n")
		sent, _ := s.saw()
		if diff := cmp.Diff([]string{want}, sent); diff != "" {
			t.Error(diff)
		}
		if !strings.HasSuffix(m.Body.ID, "@example.com>") {
			t.Error(m.Body.ID)
		}
	})
}

func TestAFailingMailParksAfterTenAttempts(t *testing.T) {
	inTime(t, func(t *testing.T, s *sender, box mailbox.MailboxCalls) {
		s.fail(errors.New("no answer"))
		if _, err := box.Send(t.Context(), mailbox.Send{To: "ada@example.org", Subject: "Hello"}); err != nil {
			t.Fatal(err)
		}
		later(4 * time.Minute) // 1 + 2 + … + 256 s, of which chance takes up to a half away
		if _, tried := s.saw(); tried < 8 || tried > 9 {
			t.Errorf("tried %d times", tried)
		}
		later(10 * time.Minute)
		_, tried := s.saw()
		waiting, err := box.Recipients(t.Context())
		if err != nil || len(waiting) != 1 || !waiting[0].Parked || waiting[0].Attempts != 10 || tried != 10 {
			t.Errorf("%+v, %v, tried %d times", waiting, err, tried)
		}
		s.fail(nil)
		if err := box.Unpark(t.Context(), "ada@example.org"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if m, err := box.Message(t.Context(), 1); err != nil || m.Status != mailbox.Sent || m.Attempts != 11 || m.Body != "" {
			t.Errorf("%+v, %v", m, err)
		}
	})
}

func TestTheDigestComesInItsTimeIfAnythingIsNew(t *testing.T) {
	inTime(t, func(t *testing.T, s *sender, box mailbox.MailboxCalls) {
		if _, err := box.SetDigest(t.Context(), mailbox.Digest{To: "owner@example.com", Cron: "30 8,9 * * *", Zone: "Asia/Shanghai"}); err != nil {
			t.Fatal(err)
		}
		if _, err := box.Send(t.Context(), mailbox.Send{To: "ada@example.org", Subject: "Hello"}); err != nil {
			t.Fatal(err)
		}
		later(30*time.Minute - time.Second) // it is midnight in UTC, and so eight in Shanghai
		if sent, _ := s.saw(); len(sent) != 1 {
			t.Error(sent)
		}
		later(2 * time.Second)
		if sent, _ := s.saw(); len(sent) != 2 || !strings.Contains(sent[1], "Subject: shop: 1 sent, 0 refused, 0 waiting\r\n") {
			t.Fatal(sent)
		}
		later(time.Hour)
		if sent, _ := s.saw(); len(sent) != 2 {
			t.Error("nothing was new, and it was told:", sent[2:])
		}
		if err := box.StopDigest(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := box.Digest(t.Context()); !errors.Is(err, mailbox.ErrNoDigest) {
			t.Error(err)
		}
	})
}

func TestBadInputIsNamed(t *testing.T) {
	inTime(t, func(t *testing.T, _ *sender, box mailbox.MailboxCalls) {
		for name, test := range map[string]struct {
			send mailbox.Send
			want string
		}{
			"a name with the address": {mailbox.Send{To: "Ada <ada@example.org>", Subject: "x"}, "to"},
			"two addresses":           {mailbox.Send{To: "ada@example.org, bob@example.org", Subject: "x"}, "to"},
			"a header in the address": {mailbox.Send{To: "ada@example.org\r\nBcc: bob@example.org", Subject: "x"}, "to"},
			"a header in the subject": {mailbox.Send{To: "ada@example.org", Subject: "x\r\nBcc: bob@example.org"}, "subject"},
			"no subject":              {mailbox.Send{To: "ada@example.org"}, "subject"},
		} {
			var e *pinned.Error
			if _, err := box.Send(t.Context(), test.send); !errors.As(err, &e) || e.Status != 400 || !strings.Contains(err.Error(), test.want+" must") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := box.Message(t.Context(), 1); !errors.Is(err, mailbox.ErrNoMessage) {
			t.Error(err)
		}
		if err := box.Unpark(t.Context(), "ada\x00@example.org"); !errors.Is(err, mailbox.ErrNotParked) {
			t.Error(err)
		}
	})
}
