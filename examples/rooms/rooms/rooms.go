// Package rooms serves chat rooms: one live Room per id.
package rooms

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/pinned-go/pinned"
)

//go:generate go tool pinnedgen

// recent is how many messages a live connection is told of when it joins.
const recent = 200

// Room is one chat room. Its topic and its history are durable: they are there again after an eviction, a restart and a
// kill -9. Who is online, and what is on its way to them, is memory.
//
//pinned:object /rooms
type Room struct {
	pinned.Object

	topic   pinned.Value[Topic]
	last    pinned.Value[int]   // the number of the newest message
	history pinned.Map[Message] // by number: what isn't asked for isn't loaded
	online  int                 // open Live connections
	feed    pinned.Feed[Event]
}

// Stats is what Worker.Stats shows of a room.
func (r *Room) Stats() map[string]any { return map[string]any{"online": r.online} }

// Topic returns the topic.
//
//pinned:route GET /topic
func (r *Room) Topic(ctx context.Context) (Topic, error) {
	return r.topic.Get(), nil
}

// SetTopic replaces the topic. It returns ErrLocked while the topic is locked.
//
//pinned:route PUT /topic
func (r *Room) SetTopic(ctx context.Context, req SetTopic) (Topic, error) {
	if r.topic.Get().Locked {
		return Topic{}, ErrLocked
	}
	r.changeTopic(Topic{Text: req.Text})
	return r.topic.Get(), nil
}

// Lock keeps the topic as it is until Unlock.
//
//pinned:route PUT /lock
func (r *Room) Lock(ctx context.Context) error {
	r.changeTopic(Topic{Text: r.topic.Get().Text, Locked: true})
	return nil
}

// Unlock lets the topic be changed again.
//
//pinned:route DELETE /lock
func (r *Room) Unlock(ctx context.Context) error {
	r.changeTopic(Topic{Text: r.topic.Get().Text})
	return nil
}

// Post says something without a live connection.
//
//pinned:route POST /messages
func (r *Room) Post(ctx context.Context, req Post) (Message, error) {
	return r.say(ctx, req.Name, req.Text), nil
}

// Messages streams all that was said after a message, and with q.Follow what is to come.
//
//pinned:route GET /messages
func (r *Room) Messages(ctx context.Context, q Page) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for m, err := range r.after(ctx, q.After) {
			if !yield(m, err) || err != nil {
				return
			}
		}
		if !q.Follow {
			return
		}
		// What was and what comes meet without a gap: no turn has passed since the newest message was yielded and the reader
		// came back for more.
		for event, err := range r.feed.Subscribe(ctx) {
			if err != nil {
				yield(Message{}, err)
				return
			}
			if event.Kind == EventMessage && !yield(*event.Message, nil) {
				return
			}
		}
	}
}

// Live joins the room: the caller says things and hears, after one event with the room as it is, of all that changes in it.
//
//pinned:route WEBSOCKET /live limit=16KiB
func (r *Room) Live(ctx context.Context, join Join, conn *pinned.Conn[Say, Event]) error {
	r.changeOnline(+1)
	defer r.changeOnline(-1)

	var messages []Message
	for m, err := range r.after(ctx, r.last.Get()-recent) {
		if err != nil {
			return err
		}
		messages = append(messages, m)
	}
	// Subscribed in the same turn as the snapshot is complete, so that no event is missed or told twice.
	events, topic := r.feed.Subscribe(ctx), r.topic.Get()
	err := conn.Send(ctx, Event{Kind: EventRoom, Topic: &topic, Online: r.online, Messages: messages})
	if err != nil {
		return err
	}
	conn.Forward(ctx, events)

	for in, err := range conn.All(ctx) {
		if err != nil {
			return err
		}
		if text := strings.TrimSpace(in.Text); text != "" {
			r.say(ctx, join.Name, text)
		}
	}
	return nil
}

func (r *Room) say(ctx context.Context, name, text string) Message {
	m := Message{N: r.last.Get() + 1, Name: name, Text: text, At: r.Now()}
	r.last.Set(m.N)
	r.history.Put(ctx, key(m.N), m) // one segment: no crash leaves a number without its message
	r.feed.Publish(Event{Kind: EventMessage, Message: &m})
	return m
}

func (r *Room) changeTopic(topic Topic) {
	r.topic.Set(topic)
	r.feed.Publish(Event{Kind: EventTopic, Topic: &topic})
}

func (r *Room) changeOnline(by int) {
	r.online += by
	r.feed.Publish(Event{Kind: EventOnline, Online: r.online})
}

// after reads the messages with a higher number than n, those included that are said while it reads. When it has ended,
// nothing newer has been said.
func (r *Room) after(ctx context.Context, n int) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for n = max(n, 0); n < r.last.Get(); {
			for entry, err := range r.history.Scan(ctx, pinned.Range{After: key(n)}) {
				if !yield(entry.Value, err) || err != nil {
					return
				}
				n = entry.Value.N
			}
		}
	}
}

// key is the number of a message so that the order of keys is that of numbers.
func key(n int) string { return fmt.Sprintf("%012d", n) }
