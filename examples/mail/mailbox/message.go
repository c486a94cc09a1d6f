package mailbox

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"
)

// The errors that callers can tell apart.
var (
	// ErrNoMessage says that no message has the number.
	//
	//pinned:error no-message 404
	ErrNoMessage = errors.New("there is no such message")
	// ErrSettled says that a message was sent, refused or cancelled.
	//
	//pinned:error settled 409
	ErrSettled = errors.New("the message has been sent, refused or cancelled")
	// ErrNotParked says that a recipient isn't parked.
	//
	//pinned:error not-parked 409
	ErrNotParked = errors.New("the recipient isn't parked")
	// ErrNoDigest says that no digest was asked for.
	//
	//pinned:error no-digest 404
	ErrNoDigest = errors.New("the account has no digest")
)

// Status is what has become of a message.
type Status string

// The statuses.
const (
	Queued    Status = "queued"    // it waits, is being sent, or is parked
	Sent      Status = "sent"      // a mail server has taken it
	Refused   Status = "refused"   // a mail server doesn't want it
	Cancelled Status = "cancelled" // nobody wants it any more
)

// Message is a mail. N counts from 1.
type Message struct {
	N        int       `json:"n"`
	To       string    `json:"to"`
	Subject  string    `json:"subject"`
	Body     string    `json:"body,omitempty"` // kept while it is queued
	ID       string    `json:"messageId"`      // its Message-ID
	At       time.Time `json:"at"`             // when it was accepted
	Status   Status    `json:"status"`
	Attempts int       `json:"attempts"`
	Error    string    `json:"error,omitempty"` // of the last attempt, if that failed
	Settled  time.Time `json:"settled,omitzero"`
	Digest   bool      `json:"digest,omitempty"` // it is a digest, which no other one tells of
}

// Send is a message to come.
type Send struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

// Validate says what is wrong with the request.
func (s Send) Validate() error {
	subject := error(nil)
	if n := utf8.RuneCountInString(s.Subject); n == 0 || n > 200 || strings.ContainsAny(s.Subject, "\r\n") {
		subject = errors.New("subject must be one line of 1 to 200 characters")
	}
	return errors.Join(address("to", s.To), subject)
}

// Page says which messages are meant.
type Page struct {
	After int `query:"after"` // those with a higher number
}

// Recipient is somebody for whom a message waits.
type Recipient struct {
	To       string `json:"to"`
	Parked   bool   `json:"parked"`   // tried in vain as often as a box is, until it is unparked
	Attempts int    `json:"attempts"` // at the first of the messages
	Error    string `json:"error,omitempty"`
	Messages []int  `json:"messages"` // in the order in which they leave
}

// address says what is wrong with an address: a bare one is wanted, in ASCII, which every mail server takes.
func address(name, text string) error {
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text || len(text) > 254 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s must be an address such as ada@example.com", name)
	}
	return nil
}

// mail is the message as it goes over the wire, the same at every attempt.
func (m Message) mail(account, from string) []byte {
	var b bytes.Buffer
	for _, header := range [][2]string{
		{"From", (&mail.Address{Name: account, Address: from}).String()},
		{"To", m.To},
		{"Subject", mime.QEncoding.Encode("utf-8", m.Subject)},
		{"Date", m.At.Format(time.RFC1123Z)},
		{"Message-ID", m.ID},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		b.WriteString(header[0] + ": " + header[1] + "\r\n")
	}
	b.WriteString("\r\n")
	body := quotedprintable.NewWriter(&b)
	_, _ = body.Write([]byte(m.Body)) // a buffer takes everything
	_ = body.Close()
	b.WriteString("\r\n")
	return b.Bytes()
}
