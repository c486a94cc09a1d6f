// Package notes has the object whose durable writes are measured.
package notes

import (
	"context"

	"github.com/pinned-go/pinned"
)

//go:generate go run github.com/pinned-go/pinned/cmd/pinnedgen

// Text is what a note says.
type Text struct {
	Text string `json:"text"`
}

// Note is a note.
//
//pinned:object /notes
type Note struct {
	pinned.Object

	text pinned.Value[string]
}

// Set replaces the text, and answers once that is durable.
//
//pinned:route PUT /text
func (n *Note) Set(_ context.Context, req Text) error {
	n.text.Set(req.Text)
	return nil
}
