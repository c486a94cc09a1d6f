// Package pages has the objects whose durable writes over HTTP, and whose trays, are
// measured.
package pages

import (
	"context"
	"iter"

	"github.com/pinned-go/pinned"
)

//go:generate go run github.com/pinned-go/pinned/cmd/pinnedgen

// Text is what a page says.
type Text struct {
	Text string `json:"text"`
}

// Done is every answer.
type Done struct {
	OK bool `json:"ok"`
}

// Page is a page.
//
//pinned:object /pages
type Page struct {
	pinned.Object

	text pinned.Value[string]
	asks int // memory
}

// Replace replaces the text, and answers once that is durable.
//
//pinned:route POST /text
func (p *Page) Replace(_ context.Context, req Text) (Done, error) {
	p.text.Set(req.Text)
	return Done{true}, nil
}

// Ask touches nothing durable.
//
//pinned:route GET /ask
func (p *Page) Ask(context.Context) (Done, error) {
	p.asks++
	return Done{true}, nil
}

// Add is what is added.
type Add struct {
	N int `json:"n"`
}

// Tally adds up numbers in a tray.
//
//pinned:object /tallies
type Tally struct {
	pinned.Object

	sum pinned.TrayOf[Sum]
}

// Sum is a sum.
//
//pinned:tray
type Sum struct {
	pinned.Tray

	total pinned.Value[int]
}

// Items has none: nothing is left to do once a number is added.
func (s *Sum) Items() iter.Seq[int] { return func(func(int) bool) {} }

//pinned:inbox Add
func (s *Sum) add(n int) { s.total.Set(s.total.Get() + n) }

//pinned:handle sum
func (t *Tally) handle(context.Context, int, *pinned.Dispatch) error { return nil }

// Add adds a number, and answers once that is durable.
//
//pinned:route POST /add
func (t *Tally) Add(ctx context.Context, req Add) (Done, error) {
	s, err := t.sum.Get(ctx)
	if err != nil {
		return Done{}, err
	}
	s.Add(req.N)
	return Done{true}, nil
}
