// Package durable has an object that keeps something of every kind.
package durable

import (
	"context"
	"time"

	"github.com/pinned-go/pinned"
)

// Meta is kept by whoever embeds it.
type Meta struct {
	title pinned.Value[string]
}

// Kept is kept whatever its type.
type Kept[T any] struct {
	last pinned.Value[T]
}

// Text is a durable text.
type Text = pinned.Value[string]

// Message is one entry of the history.
type Message struct {
	Author string    `json:"author"`
	Text   string    `json:"text"`
	At     time.Time `json:"at"`

	draft bool `json:"-"`
}

// Room keeps something of every kind.
//
//pinned:object /durable
type Room struct {
	pinned.Object
	Meta
	Kept[Message]

	topic    Text
	limit    pinned.Value[int]           `default:"50" pinned:"most"`
	greeting pinned.Value[string]        `default:"say \"hi\""`
	wait     pinned.Value[time.Duration] `default:"90"`
	rate     pinned.Value[float64]       `default:"0.50"`
	URLs     pinned.Queue[string]
	next     pinned.Outbox[Message]
	history  pinned.Map[Message]
	work     pinned.Jobs[Message]
	feed     pinned.Feed[Message]
	done     int
}

// State is what a Room tells of itself.
type State struct {
	Topic, Title, Greeting string
	Limit, URLs            int
	Wait                   time.Duration
	Rate                   float64
	Last                   Message
}

// State tells what is kept.
//
//pinned:route GET /state
func (r *Room) State() State {
	return State{
		Topic: r.topic.Get(), Title: r.title.Get(), Greeting: r.greeting.Get(), Limit: r.limit.Get(),
		URLs: r.URLs.Len(), Wait: r.wait.Get(), Rate: r.rate.Get(), Last: r.last.Get(),
	}
}

// Say keeps a message.
//
//pinned:route POST /messages
func (r *Room) Say(ctx context.Context, m Message) (Message, error) {
	r.last.Set(m)
	r.topic.Set(m.Text)
	r.title.Set(m.Author)
	r.URLs.Append(m.Text)
	r.history.Put(ctx, "last", m)
	m, _, err := r.history.Get(ctx, "last")
	return m, err
}

// Hurry answers before it is durable.
//
//pinned:route POST /hurry ungated
func (r *Room) Hurry() int {
	r.limit.Update(func(n *int) { *n++ })
	return r.limit.Get()
}

//pinned:handle work
func (r *Room) handle(_ context.Context, _ Message, _ *pinned.Dispatch) error {
	r.done++
	return nil
}
