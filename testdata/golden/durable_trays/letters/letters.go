// Package letters has tray types for the objects of other packages.
package letters

import (
	"iter"

	"github.com/pinned-go/pinned"
)

// Letter is what waits to be sent.
type Letter struct {
	To, Text string
}

// base is what both have.
type base struct {
	pinned.Tray

	letters pinned.Queue[Letter]
}

// Items gives each letter.
func (b *base) Items() iter.Seq[Letter] {
	return func(yield func(Letter) bool) {
		for {
			letter, ok := b.letters.Peek()
			if !ok || !yield(letter) {
				return
			}
			b.letters.Pop()
		}
	}
}

// Mail is a queue of letters.
//
//pinned:tray version=2 attempts=3 timeout=90s
type Mail struct {
	base

	sent pinned.Value[int] `default:"1"`
}

// Post is another.
//
//pinned:tray open drain
type Post struct {
	base
}

// add appends letters.
//
//pinned:inbox Add
func (m *Mail) add(m2 string, letters ...Letter) {
	for _, l := range letters {
		l.To = m2 + l.To
		m.letters.Append(l)
	}
	m.sent.Update(func(n *int) { *n += len(letters) })
}

//pinned:inbox Put
func (p *Post) put(key Letter) { p.letters.Append(key) }

// Adder is implemented by what is generated.
type Adder interface {
	Add(to string, letters ...Letter) pinned.Receipt
	AddAs(key, to string, letters ...Letter) pinned.Admission
}

var _ Adder = (*Mail)(nil)

// Sent is how many letters were admitted.
func (m *Mail) Sent() int { return m.sent.Get() }
