package rooms

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrLocked says that the topic can't be changed now.
//
//pinned:error locked 423
var ErrLocked = errors.New("the topic is locked")

// Topic is what a room is about.
type Topic struct {
	Text   string `json:"text"`
	Locked bool   `json:"locked"`
}

// SetTopic asks for another topic.
type SetTopic struct {
	Text string `json:"text"`
}

// Validate says what is wrong with the request.
func (s SetTopic) Validate() error { return length("text", s.Text, 0, 200) }

// Message is one thing that somebody said. N counts from 1.
type Message struct {
	N    int       `json:"n"`
	Name string    `json:"name"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Post is a message to come.
type Post struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Validate says what is wrong with the request.
func (p Post) Validate() error {
	return errors.Join(length("name", p.Name, 1, 40), length("text", p.Text, 1, 4000))
}

// Page says which messages are meant.
type Page struct {
	After  int  `query:"after"`  // those with a higher number
	Follow bool `query:"follow"` // and then those to come
}

// Join is who enters a room.
type Join struct {
	Name string `query:"name"`
}

// Validate says what is wrong with the request.
func (j Join) Validate() error { return length("name", j.Name, 1, 40) }

// Say is what a live connection sends to its room.
type Say struct {
	Text string `json:"text"`
}

// Event is what a live connection hears of its room: what Kind says, and the fields that belong to it.
type Event struct {
	Kind     EventKind `json:"kind"`
	Topic    *Topic    `json:"topic,omitempty"`
	Online   int       `json:"online,omitempty"`
	Message  *Message  `json:"message,omitempty"`
	Messages []Message `json:"messages,omitempty"`
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events.
const (
	EventRoom    EventKind = "room"    // the first: Topic, Online and Messages as they are
	EventTopic   EventKind = "topic"   // Topic changed
	EventOnline  EventKind = "online"  // Online changed
	EventMessage EventKind = "message" // somebody said Message
)

func length(name, text string, least, most int) error {
	if n := utf8.RuneCountInString(text); n < least || n > most || least > 0 && strings.TrimSpace(text) == "" {
		return fmt.Errorf("%s must have %d to %d characters", name, least, most)
	}
	return nil
}
