// Package base has what others embed.
package base

import (
	"iter"

	"github.com/pinned-go/pinned"
)

// Base is embedded.
type Base struct {
	Shown  pinned.Value[string]
	hidden pinned.Value[string]
}

// Holder has them deeper.
type Holder struct {
	In struct{ Value pinned.Value[string] }
}

// Mail has no directive.
type Mail struct{ pinned.Tray }

// Items gives nothing.
func (m *Mail) Items() iter.Seq[string] { return nil }
