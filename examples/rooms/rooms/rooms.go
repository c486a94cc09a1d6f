// Package rooms serves chat rooms: one live Room per id.
package rooms

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/pinned-go/pinned"
)

//go:generate go tool pinnedgen

// Room is one chat room. All it knows is in memory: a room that nobody used for five minutes is evicted, and its next
// visitor finds it empty.
//
//pinned:object /rooms
type Room struct {
	pinned.Object

	// Keep is how many messages the room remembers; 0 is 500. A setup may set it.
	Keep int

	topic   Topic
	history []Message // the newest Keep messages
	last    int       // the number of the newest message
	online  int       // open Live connections
	feed    pinned.Feed[Event]
}

// Open runs before the first request of an activation.
func (r *Room) Open(ctx context.Context) error {
	if r.Keep == 0 {
		r.Keep = 500
	}
	return nil
}

// Stats is what Worker.Stats shows of a room.
func (r *Room) Stats() map[string]any {
	return map[string]any{"online": r.online, "messages": len(r.history)}
}

// Topic returns the topic.
//
//pinned:route GET /topic
func (r *Room) Topic(ctx context.Context) (Topic, error) {
	return r.topic, nil
}

// SetTopic replaces the topic. It returns ErrLocked while the topic is locked.
//
//pinned:route PUT /topic
func (r *Room) SetTopic(ctx context.Context, req SetTopic) (Topic, error) {
	if r.topic.Locked {
		return Topic{}, ErrLocked
	}
	r.changeTopic(Topic{Text: req.Text})
	return r.topic, nil
}

// Lock keeps the topic as it is until Unlock.
//
//pinned:route PUT /lock
func (r *Room) Lock(ctx context.Context) error {
	r.changeTopic(Topic{Text: r.topic.Text, Locked: true})
	return nil
}

// Unlock lets the topic be changed again.
//
//pinned:route DELETE /lock
func (r *Room) Unlock(ctx context.Context) error {
	r.changeTopic(Topic{Text: r.topic.Text})
	return nil
}

// Post says something without a live connection.
//
//pinned:route POST /messages
func (r *Room) Post(ctx context.Context, req Post) (Message, error) {
	return r.say(req.Name, req.Text), nil
}

// Messages streams the messages that the room remembers, and with q.Follow those that come.
//
//pinned:route GET /messages
func (r *Room) Messages(ctx context.Context, q Page) iter.Seq2[Message, error] {
	// What is remembered and what comes meet without a gap: no turn passes between the next two statements.
	past := r.after(q.After)
	var events iter.Seq2[Event, error]
	if q.Follow {
		events = r.feed.Subscribe(ctx)
	}
	return func(yield func(Message, error) bool) {
		for _, m := range past {
			if !yield(m, nil) {
				return
			}
		}
		if events == nil {
			return
		}
		for event, err := range events {
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

// Live joins the room: the caller says things and hears, after one event with the whole room, of all that changes in it.
//
//pinned:route WEBSOCKET /live limit=16KiB
func (r *Room) Live(ctx context.Context, join Join, conn *pinned.Conn[Say, Event]) error {
	r.changeOnline(+1)
	defer r.changeOnline(-1)

	// Subscribed in the same turn as the snapshot is taken, so that no event is missed or told twice.
	events, topic := r.feed.Subscribe(ctx), r.topic
	err := conn.Send(ctx, Event{Kind: EventRoom, Topic: &topic, Online: r.online, Messages: r.after(0)})
	if err != nil {
		return err
	}
	conn.Forward(ctx, events)

	for in, err := range conn.All(ctx) {
		if err != nil {
			return err
		}
		if text := strings.TrimSpace(in.Text); text != "" {
			r.say(join.Name, text)
		}
	}
	return nil
}

func (r *Room) say(name, text string) Message {
	r.last++
	m := Message{N: r.last, Name: name, Text: text, At: r.Now()}
	r.history = append(r.history, m)
	if extra := len(r.history) - r.Keep; extra > 0 {
		r.history = slices.Delete(r.history, 0, extra)
	}
	r.feed.Publish(Event{Kind: EventMessage, Message: &m})
	return m
}

func (r *Room) changeTopic(topic Topic) {
	r.topic = topic
	r.feed.Publish(Event{Kind: EventTopic, Topic: &topic})
}

func (r *Room) changeOnline(by int) {
	r.online += by
	r.feed.Publish(Event{Kind: EventOnline, Online: r.online})
}

// after copies the messages with a higher number than n: the turn may pass while a reader takes them.
func (r *Room) after(n int) []Message {
	i := slices.IndexFunc(r.history, func(m Message) bool { return m.N > n })
	if i < 0 {
		return nil
	}
	return slices.Clone(r.history[i:])
}
