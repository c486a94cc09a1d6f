// Package office has an object with the trays of another package, and one of its own.
package office

import (
	"context"
	"iter"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/durable_trays/letters"
)

// Office sends mail.
//
//pinned:object /durable_trays
type Office struct {
	pinned.Object

	mail    pinned.TrayOf[letters.Mail]
	posts   pinned.TraysOf[letters.Post] `pinned:"p"`
	backlog pinned.TrayOf[backlog]
	sent    pinned.Feed[string]
}

// Send queues a letter, and waits until it was handled.
//
//pinned:route POST /send
func (o *Office) Send(ctx context.Context, l letters.Letter) (int, error) {
	mail, err := o.mail.Get(ctx)
	if err != nil {
		return 0, err
	}
	for text, err := range o.queued(ctx, mail, l) {
		if err != nil {
			return 0, err
		}
		if text == l.Text {
			break
		}
	}
	return mail.Sent(), nil
}

func (o *Office) queued(ctx context.Context, to letters.Adder, l letters.Letter) iter.Seq2[string, error] {
	sent := o.sent.Subscribe(ctx)
	to.Add("to ", l)
	return sent
}

// Post queues a letter under a key.
//
//pinned:route POST /posts/{key}
func (o *Office) Post(ctx context.Context, key string, l letters.Letter) error {
	post, err := o.posts.Get(ctx, pinned.ID(key))
	if err != nil {
		return err
	}
	return post.Put(l).Wait(ctx)
}

// Nightly sets an alarm.
//
//pinned:route POST /nightly
func (o *Office) Nightly(ctx context.Context) error {
	for _, err := range o.scheduled(ctx) {
		return err
	}
	return nil
}

func (o *Office) scheduled(ctx context.Context) iter.Seq2[string, error] {
	done := o.sent.Subscribe(ctx)
	o.ScheduleNightlyRun(pinned.After(0), letters.Letter{Text: "alarm"})
	return done
}

//pinned:handle mail
func (o *Office) deliver(_ context.Context, l letters.Letter, d *pinned.Dispatch) error {
	o.sent.Publish(l.Text)
	return nil
}

//pinned:handle posts
func (o *Office) deliverPost(ctx context.Context, l letters.Letter, d *pinned.Dispatch) error {
	_, err := d.Admit(ctx, (&letters.Mail{}).AddAs("a", "to ", l))
	return err
}

//pinned:handle backlog
func (o *Office) work(context.Context, int, *pinned.Dispatch) error { return nil }

// nightly runs at night.
//
//pinned:alarm nightly-run
func (o *Office) nightly(_ context.Context, _ pinned.Alarm, a letters.Letter) error {
	o.sent.Publish(a.Text)
	return nil
}

//pinned:alarm plain
func (o *Office) plain(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm counted
func (o *Office) counted(context.Context, map[string]int) error { return nil }

// backlog is a tray type that nobody else has.
//
//pinned:tray
type backlog struct {
	pinned.Tray

	numbers pinned.Outbox[int]
}

// Items gives the number.
func (b *backlog) Items() iter.Seq[int] {
	return func(yield func(int) bool) {
		if n, ok := b.numbers.Item(); ok && yield(n) {
			b.numbers.Ack()
		}
	}
}
