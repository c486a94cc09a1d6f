// Package sample has an object with a route of every kind. Tests of the runtime
// and of the clients drive it.
package sample

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/pinned-go/pinned"
)

//go:generate go run github.com/pinned-go/pinned/cmd/pinnedgen

// ErrLocked says that the topic can't be changed.
//
//pinned:error locked 423
var ErrLocked = errors.New("the room is locked")

// QuotaError says how much is left.
//
//pinned:error quota 429
type QuotaError struct {
	Left int `json:"left"`
}

func (e *QuotaError) Error() string { return "quota exceeded" }

// The types of the routes.
type (
	SetTopic struct {
		Text   string `json:"text"`
		DryRun bool   `query:"dry"`
	}
	Topic struct {
		Text string `json:"text"`
	}
	Page struct {
		After int        `query:"after"`
		Limit int        `query:"limit" default:"50"`
		Tags  []string   `query:"tag"`
		Since *time.Time `query:"since"`
		Token string     `header:"X-Token"`
	}
	Message struct {
		N    int    `json:"n"`
		Text string `json:"text"`
	}
	In struct {
		Say string `json:"say"`
	}
	Out struct {
		Heard  string `json:"heard"`
		Online int    `json:"online"`
	}
)

// Validate refuses an empty topic.
func (s SetTopic) Validate() error {
	if strings.TrimSpace(s.Text) == "" {
		return errors.New("text must not be empty")
	}
	return nil
}

// Room is one chat room.
//
//pinned:object /chats
type Room struct {
	pinned.Object

	// Gate, when set by a setup, is waited on by Wait.
	Gate chan struct{}

	topic    string
	messages []Message
	online   int
	feed     pinned.Feed[Message]
}

// Open runs before the first request of an activation.
func (r *Room) Open(ctx context.Context) error {
	if r.ID() == "unopenable" {
		return errors.New("this id never opens")
	}
	return nil
}

// Close runs after the last.
func (r *Room) Close(ctx context.Context) error { return nil }

// Authorize refuses who says so.
func (r *Room) Authorize(ctx context.Context, req *http.Request, caller pinned.Caller) error {
	switch req.Header.Get("X-Deny") {
	case "401":
		return &pinned.Error{Status: 401, Title: "Unauthorized"}
	case "":
		return nil
	}
	return errors.New("secret reason")
}

// AdminOnly is asked for DELETE /messages.
func (r *Room) AdminOnly(ctx context.Context, req *http.Request, caller pinned.Caller) error {
	if req.Header.Get("X-Admin") != "yes" {
		return ErrLocked
	}
	return nil
}

// SetTopic replaces the topic.
//
//pinned:route PUT /topic
func (r *Room) SetTopic(ctx context.Context, req SetTopic) (Topic, error) {
	if r.topic == "locked" {
		return Topic{}, ErrLocked
	}
	if !req.DryRun {
		r.topic = req.Text
	}
	return Topic{Text: req.Text}, nil
}

// Topic returns it.
//
//pinned:route GET /topic
func (r *Room) Topic(ctx context.Context) (Topic, error) { return Topic{Text: r.topic}, nil }

// Post appends a message.
//
//pinned:route POST /messages limit=64KiB
func (r *Room) Post(ctx context.Context, req In) (*pinned.Response[Message], error) {
	if len(r.messages) >= 1000 {
		return nil, &QuotaError{Left: 0}
	}
	m := Message{N: len(r.messages) + 1, Text: req.Say}
	r.messages = append(r.messages, m)
	r.feed.Publish(m)
	return &pinned.Response[Message]{Status: 201, Header: http.Header{"X-Room": {r.ID()}}, Body: m}, nil
}

// Message returns one message.
//
//pinned:route GET /messages/{n}
func (r *Room) Message(ctx context.Context, n int) (Message, error) {
	if n < 1 || n > len(r.messages) {
		return Message{}, &pinned.Error{Status: 404, Title: "Not Found", Detail: "no such message"}
	}
	return r.messages[n-1], nil
}

// Clear drops the messages.
//
//pinned:route DELETE /messages auth=AdminOnly
func (r *Room) Clear(ctx context.Context) error {
	r.messages = nil
	return nil
}

// Messages streams the messages after q.After.
//
//pinned:route GET /messages
func (r *Room) Messages(ctx context.Context, q Page) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for i := q.After; i < len(r.messages) && i < q.After+q.Limit; i++ {
			if r.messages[i].Text == "boom" {
				yield(Message{}, ErrLocked)
				return
			}
			if !yield(r.messages[i], nil) {
				return
			}
		}
	}
}

// Upper streams the words of the topic in capitals.
//
//pinned:route GET /words
func (r *Room) Upper(ctx context.Context) iter.Seq[string] {
	words := strings.Fields(strings.ToUpper(r.topic))
	return func(yield func(string) bool) {
		for _, w := range words {
			if !yield(w) {
				return
			}
		}
	}
}

// Plain returns the topic as text.
//
//pinned:route GET /plain
//pinned:route GET /text auth=none
func (r *Room) Plain(ctx context.Context) string { return r.topic }

// Blob returns the topic as bytes.
//
//pinned:route GET /blob
func (r *Room) Blob(ctx context.Context) ([]byte, error) { return []byte(r.topic), nil }

// Export returns the topic as a stream of bytes.
//
//pinned:route GET /export
func (r *Room) Export(ctx context.Context) (io.Reader, error) { return strings.NewReader(r.topic), nil }

// Import reads the topic from the raw body.
//
//pinned:route PUT /files/{path...} limit=10MiB
func (r *Room) Import(ctx context.Context, path string, body io.Reader) (int, error) {
	b, err := io.ReadAll(body)
	r.topic = path
	return len(b), err
}

// WhoAmI says who called.
//
//pinned:route GET /whoami concurrent
func (r *Room) WhoAmI(ctx context.Context, req *http.Request, caller pinned.Caller) (string, error) {
	return caller.Namespace + "/" + caller.ID + " " + req.Header.Get("User-Agent"), nil
}

// Relay asks another room for its topic.
//
//pinned:route GET /relay/{to}
func (r *Room) Relay(ctx context.Context, to string) (Topic, error) {
	return From(r).Room(to).Topic(ctx)
}

// Wait holds the turn until the gate opens.
//
//pinned:route POST /wait
func (r *Room) Wait(ctx context.Context) error {
	return pinned.Await(ctx, func(ctx context.Context) error {
		select {
		case <-r.Gate:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// Panic panics.
//
//pinned:route POST /panic
func (r *Room) Panic(ctx context.Context) { panic("oh no") }

// Files is a raw handler.
//
//pinned:route GET /raw/{name}
func (r *Room) Files(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "raw "+req.PathValue("name"))
}

// Live echoes what is said, with the number of people online.
//
//pinned:route WEBSOCKET /live
func (r *Room) Live(ctx context.Context, conn *pinned.Conn[In, Out]) error {
	r.online++
	defer func() { r.online-- }()
	for in, err := range conn.All(ctx) {
		if err != nil {
			return err
		}
		if in.Say == "locked" {
			return ErrLocked
		}
		if err := conn.Send(ctx, Out{Heard: in.Say, Online: r.online}); err != nil {
			return err
		}
	}
	return nil
}
