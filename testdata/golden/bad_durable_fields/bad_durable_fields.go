// Package bad_durable_fields has durable fields that can't be kept.
package bad_durable_fields

import (
	"time"

	"github.com/pinned-go/pinned"
)

// Nobody is neither an object nor a tray.
type Nobody struct {
	topic pinned.Value[string]
	queue *pinned.Queue[int]
	feed  pinned.Feed[int]
}

// Embedded is kept where it is embedded by value.
type Embedded struct {
	fine pinned.Value[string]
}

// Pointed isn't.
type Pointed struct {
	lost pinned.Value[string]
}

// Hidden has what JSON drops.
type Hidden struct {
	Shown  string
	hidden string
	quiet  string `json:"-"`
	Deep   []map[string]Deeper
	At     time.Time
}

// Deeper too.
type Deeper struct {
	Name string
	n    int
}

// Text is an alias.
type Text = pinned.Value[chan int]

//pinned:object /bad_durable_fields
type Room struct {
	pinned.Object
	Embedded
	*Pointed

	pointer *pinned.Value[string]
	list    []pinned.Queue[int]
	keyed   map[string]*pinned.Outbox[int]
	inner   struct {
		topic pinned.Value[string]
	}
	hidden  pinned.Value[Hidden]
	channel pinned.Queue[chan int]
	alias   Text
	f       pinned.Map[func()]
	word    pinned.Value[string] `pinned:"words"`
	plain   string               `pinned:"plain"`

	yes     pinned.Value[bool]           `default:"maybe"`
	small   pinned.Value[int8]           `default:"300"`
	list2   pinned.Value[[]string]       `default:"a"`
	queue   pinned.Queue[int]            `default:"1"`
	nan     pinned.Value[float64]        `default:"NaN"`
	pause   pinned.Value[time.Duration]  `default:"5s"`
	later   pinned.Value[*time.Duration] `default:"5"`
	unknown pinned.Value[Missing]
}
