// Package bad_inboxes has admissions that can't be.
package bad_inboxes

import (
	"context"
	"iter"

	"github.com/pinned-go/pinned"
)

type base struct{}

func (base) Promoted() {}

//pinned:tray
type Mail struct {
	pinned.Tray
	base

	Count int
}

func (m *Mail) Items() iter.Seq[string] { return nil }

// Taken is the author's.
func (m *Mail) Taken() {}

//pinned:inbox Exported
func (m *Mail) Put(s string) {}

//pinned:inbox Context
func (m *Mail) withContext(ctx context.Context, s string) {}

//pinned:inbox Result
func (m *Mail) result(s string) error { return nil }

//pinned:inbox Channel
func (m *Mail) channel(c chan int) {}

//pinned:inbox Copied
func (m Mail) copied() {}

//pinned:inbox unexported
func (m *Mail) small() {}

//pinned:inbox Taken
func (m *Mail) taken() {}

//pinned:inbox Promoted
func (m *Mail) promoted() {}

//pinned:inbox Count
func (m *Mail) count() {}

//pinned:inbox Items
func (m *Mail) items() {}

//pinned:inbox Kick
func (m *Mail) kick() {}

//pinned:inbox Add
func (m *Mail) add() {}

//pinned:inbox Add
func (m *Mail) add2() {}

//pinned:inbox AddAs
func (m *Mail) addAs() {}

//pinned:inbox
func (m *Mail) nameless() {}

// Room is no tray.
//
//pinned:object /bad_inboxes
type Room struct{ pinned.Object }

//pinned:inbox Add
func (r *Room) add() {}
