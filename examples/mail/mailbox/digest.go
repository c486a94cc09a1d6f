package mailbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pinned-go/pinned"
)

// longest is how many messages a digest names under each heading; the others it counts.
const longest = 100

// Digest is to whom, and when, the account's digest goes: a mail about what was sent, what was refused and what waits.
type Digest struct {
	To   string `json:"to"`
	Cron string `json:"cron"` // as of pinned.Cron: "0 8 * * *" is every morning at eight
	Zone string `json:"zone"` // such as Europe/Berlin; UTC where it is empty
}

// Validate says what is wrong with the request; the schedule is looked at when it is set.
func (d Digest) Validate() error { return address("to", d.To) }

// Scheduled is a digest that was asked for.
type Scheduled struct {
	Digest

	Next time.Time `json:"next"`
}

// SetDigest asks for a digest, in place of an earlier one.
//
//pinned:route PUT /digest
func (m *Mailbox) SetDigest(ctx context.Context, req Digest) (Scheduled, error) {
	if err := m.ScheduleDigest(pinned.Cron(req.Cron, req.Zone), req).Wait(ctx); err != nil {
		return Scheduled{}, &pinned.Error{Status: http.StatusBadRequest, Code: "bad-schedule", Detail: err.Error()}
	}
	return m.scheduled()
}

// Digest returns the digest that was asked for.
//
//pinned:route GET /digest
func (m *Mailbox) Digest(ctx context.Context) (Scheduled, error) { return m.scheduled() }

// StopDigest asks for no digest any more.
//
//pinned:route DELETE /digest
func (m *Mailbox) StopDigest(ctx context.Context) error {
	m.CancelAlarm("digest")
	return nil
}

// DigestNow has the digest made now, whenever its next time is.
//
//pinned:route POST /digest
func (m *Mailbox) DigestNow(ctx context.Context) error {
	digest, err := m.scheduled()
	if err != nil {
		return err
	}
	m.ScheduleDigestNow(pinned.After(0), digest.Digest)
	return nil
}

// scheduled is the digest as its alarm has it.
func (m *Mailbox) scheduled() (Scheduled, error) {
	for _, alarm := range m.Alarms() {
		if alarm.Name == "digest" {
			digest := Scheduled{Next: alarm.Due}
			err := json.Unmarshal(alarm.Payload, &digest.Digest)
			return digest, err
		}
	}
	return Scheduled{}, ErrNoDigest
}

//pinned:alarm digest
func (m *Mailbox) digest(ctx context.Context, d Digest) error { return m.report(ctx, d.To) }

//pinned:alarm digest-now
func (m *Mailbox) digestNow(ctx context.Context, d Digest) error { return m.report(ctx, d.To) }

// report mails what is new since the last digest, if anything is. The mail waits in the box of its recipient like any
// other. What is written after the last yield is one segment with the end of the alarm's run, so that an alarm that is
// run again reports nothing twice.
func (m *Mailbox) report(ctx context.Context, to string) error {
	var sent, refused, waits section
	var told []string
	for entry, err := range m.news.Scan(ctx, pinned.Range{}) {
		if err != nil {
			return err
		}
		msg := entry.Value
		told = append(told, entry.Key)
		if msg.Status == Sent {
			sent.addf("%s: %s", msg.To, msg.Subject)
		} else {
			refused.addf("%s: %s (%s)", msg.To, msg.Subject, msg.Error)
		}
	}
	recipients, err := m.Recipients(ctx)
	if err != nil {
		return err
	}
	for _, r := range recipients {
		if r.Parked {
			waits.addf("%s: %d to send, parked after %d attempts (%s)", r.To, len(r.Messages), r.Attempts, r.Error)
		} else {
			waits.addf("%s: %d to send", r.To, len(r.Messages))
		}
	}
	if sent.n+refused.n+waits.n == 0 {
		return nil
	}
	body := sent.under("Sent") + refused.under("Refused") + waits.under("Waiting")
	_, err = m.accept(ctx, Message{
		To: to, Subject: fmt.Sprintf("%s: %d sent, %d refused, %d waiting", m.ID(), sent.n, refused.n, waits.n), Body: body, Digest: true,
	})
	if err != nil {
		return err
	}
	for _, k := range told {
		m.news.Delete(ctx, k)
	}
	return nil
}

// section is a part of a digest.
type section struct {
	n     int
	lines strings.Builder
}

func (s *section) addf(format string, args ...any) {
	if s.n++; s.n <= longest {
		fmt.Fprintf(&s.lines, "  "+format+"\n", args...)
	}
}

func (s *section) under(heading string) string {
	if s.n == 0 {
		return ""
	}
	text := heading + "\n" + s.lines.String()
	if s.n > longest {
		text += fmt.Sprintf("  and %d more\n", s.n-longest)
	}
	return text + "\n"
}
