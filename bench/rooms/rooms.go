// Package rooms has the object that benchmarks ask: a chat room with as many
// routes as a small object has, of which one is measured over HTTP and one over
// WebSocket.
package rooms

import (
	"context"
	"slices"

	"github.com/pinned-go/pinned"
)

//go:generate go run github.com/pinned-go/pinned/cmd/pinnedgen

// The bodies and messages of Room.
type (
	// Topic is what a room is about.
	Topic struct {
		Text string `json:"text"`
	}
	// Message is one of those in a room.
	Message struct {
		N    int    `json:"n"`
		Text string `json:"text"`
	}
	// Said is what a client says.
	Said struct {
		Say string `json:"say"`
	}
	// Heard is the answer to it.
	Heard struct {
		Heard string `json:"heard"`
	}
)

// Room is one chat room. Beside Object it has 64 bytes, which the targets for
// memory are for.
//
//pinned:object /halls
type Room struct {
	pinned.Object

	topic    string
	messages []Message
	last     int
	online   int
	visits   int
}

// Open gives a new room its topic.
func (r *Room) Open(context.Context) error {
	r.topic = "Durable objects for Go"
	return nil
}

// Topic returns it.
//
//pinned:route GET /topic
func (r *Room) Topic(context.Context) (Topic, error) {
	r.visits++
	return Topic{Text: r.topic}, nil
}

// SetTopic replaces it.
//
//pinned:route PUT /topic
func (r *Room) SetTopic(_ context.Context, req Topic) (Topic, error) {
	r.topic = req.Text
	return req, nil
}

// Messages returns all of them.
//
//pinned:route GET /messages
func (r *Room) Messages(context.Context) ([]Message, error) {
	return slices.Clone(r.messages), nil
}

// Post appends one.
//
//pinned:route POST /messages
func (r *Room) Post(_ context.Context, req Said) (Message, error) {
	r.last++
	m := Message{N: r.last, Text: req.Say}
	r.messages = append(r.messages, m)
	return m, nil
}

// Message returns one.
//
//pinned:route GET /messages/{n}
func (r *Room) Message(_ context.Context, n int) (Message, error) {
	i := slices.IndexFunc(r.messages, func(m Message) bool { return m.N == n })
	if i < 0 {
		return Message{}, &pinned.Error{Status: 404, Title: "Not Found", Detail: "no such message"}
	}
	return r.messages[i], nil
}

// Remove drops one.
//
//pinned:route DELETE /messages/{n}
func (r *Room) Remove(_ context.Context, n int) error {
	r.messages = slices.DeleteFunc(r.messages, func(m Message) bool { return m.N == n })
	return nil
}

// Live answers what is said with what was heard.
//
//pinned:route WEBSOCKET /live
func (r *Room) Live(ctx context.Context, conn *pinned.Conn[Said, Heard]) error {
	r.online++
	defer func() { r.online-- }()
	for said, err := range conn.All(ctx) {
		if err != nil {
			return err
		}
		if err := conn.Send(ctx, Heard{Heard: said.Say}); err != nil {
			return err
		}
	}
	return nil
}
