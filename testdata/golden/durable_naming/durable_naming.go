// Package durable_naming takes the names that generated code for durable state would
// like.
package durable_naming

import (
	ctx2 "context"
	"iter"
	b "time"

	p "github.com/pinned-go/pinned"
)

// Names of packages that generated code imports, of its own functions, and of its
// variables.
type (
	pinned        struct{ A int }
	pinnedruntime string
	context       int
	when          int
	payload       struct{ Text string }
	a             int
	key           string
	m             = string
	r             = int
	ctx           = string
	err           = int
	error2        = int
)

var bindRoom, bindMail, time, string2 = 1, 2, 3, 4

var _ = []any{bindRoom, bindMail, time, string2}

// Room keeps things of types with unlucky names.
//
//pinned:object /durable_naming
type Room struct {
	p.Object

	Value p.Value[pinned]
	mail  p.TraysOf[Mail]
	nil   p.TrayOf[mails]
	b     p.Jobs[payload]
	iter  p.Value[b.Duration] `default:"7"`
}

// Set writes all.
//
//pinned:route POST /set/{id}
func (r *Room) Set(ctx ctx2.Context, id string) (int, error) {
	r.Value.Update(func(v *pinned) { v.A += 3 })
	mail, err := r.mail.Get(ctx, "a")
	if err != nil {
		return 0, err
	}
	r.ScheduleX(p.After(b.Hour), map[when]payload{1: {id}})
	r.ScheduleY(p.After(b.Hour), 2)
	if err := mail.Add("receiver", 3, nil, "4").Wait(ctx); err != nil {
		return 0, err
	}
	r.b.Append(payload{"text"})
	return r.Value.Get().A + len(r.Alarms()), nil
}

//pinned:handle mail
func (room *Room) m(ctx2.Context, pinnedruntime, *p.Dispatch) error { return nil }

//pinned:handle nil
func (*Room) bind(ctx ctx2.Context, nil context, err *p.Dispatch) (len error) { return len }

//pinned:handle b
func (b *Room) r(ctx ctx2.Context, r payload, a *p.Dispatch) error { return nil }

//pinned:alarm x
func (r *Room) x(_ ctx2.Context, err p.Alarm, ctx map[when]payload) error { return nil }

//pinned:alarm y
func (r *Room) y(_ ctx2.Context, ctx ctx2Alias) error { return nil }

type ctx2Alias = a

// Mail has parameters with unlucky names.
//
//pinned:tray timeout=1500us
type Mail struct {
	p.Tray

	t p.Queue[pinnedruntime]
}

// Items gives nothing for long.
func (t *Mail) Items() iter.Seq[pinnedruntime] {
	return func(yield func(pinnedruntime) bool) {
		for {
			head, ok := t.t.Peek()
			if !ok || !yield(head) {
				return
			}
			t.t.Pop()
		}
	}
}

//pinned:inbox Add
func (m *Mail) add(m2 m, key r, pinnedruntime *pinned, _ ctx) {}

//pinned:inbox Nothing
func (*Mail) nothing() {}

//pinned:inbox Named
func (f *Mail) named(string pinnedruntime, pinned2, time int, func2 ...key) {}

// mails is nobody else's.
//
//pinned:tray
type mails struct{ p.Tray }

func (*mails) Items() iter.Seq[context] { return func(func(context) bool) {} }
