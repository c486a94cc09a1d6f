// Package bad_trays has tray types that are none.
package bad_trays

import (
	"context"
	"iter"

	"github.com/pinned-go/pinned"
)

// NoBase embeds nothing.
//
//pinned:tray
type NoBase struct {
	letters pinned.Queue[int]
}

//pinned:tray
type Pointer struct{ *pinned.Tray }

//pinned:tray
type Number int

//pinned:tray
type Generic[T any] struct {
	pinned.Tray
	items pinned.Queue[T]
}

//pinned:tray
//pinned:object /bad_trays_both
type Both struct {
	pinned.Object
	pinned.Tray
}

//pinned:tray
//pinned:tray open
type Twice struct{ pinned.Tray }

func (t *Twice) Items() iter.Seq[int] { return nil }

//pinned:tray
type NoItems struct{ pinned.Tray }

//pinned:tray
type WrongItems struct{ pinned.Tray }

func (t *WrongItems) Items(context.Context) iter.Seq[int] { return nil }

//pinned:tray
type SecondItems struct{ pinned.Tray }

func (t *SecondItems) Items() iter.Seq2[int, error] { return nil }

//pinned:tray
type Keeps struct {
	pinned.Tray

	history pinned.Map[int]
	jobs    pinned.Jobs[int]
	inner   pinned.TrayOf[Fine]
	inners  pinned.TraysOf[Fine]
	Kick    int
}

func (t *Keeps) Items() iter.Seq[int] { return nil }

//pinned:tray version=x attempts=0 timeout=5 open=yes ungated
type Options struct{ pinned.Tray }

func (t *Options) Items() iter.Seq[int] { return nil }

//pinned:tray
type Fine struct{ pinned.Tray }

func (t *Fine) Items() iter.Seq[Fine2] { return nil }

type Fine2 struct{}

type FineTray struct{}

// Unmarked has no directive.
type Unmarked struct{ pinned.Tray }

//pinned:object /bad_trays
type Room struct {
	pinned.Object

	unmarked pinned.TrayOf[Unmarked]
	number   pinned.TraysOf[int]
	pointer  pinned.TrayOf[*Fine]
}

//pinned:handle unmarked
func (r *Room) a(context.Context, int, *pinned.Dispatch) error { return nil }

//pinned:handle number
func (r *Room) b(context.Context, int, *pinned.Dispatch) error { return nil }

//pinned:handle pointer
func (r *Room) c(context.Context, int, *pinned.Dispatch) error { return nil }
