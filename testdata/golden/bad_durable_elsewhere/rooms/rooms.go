// Package rooms embeds what it can't reach.
package rooms

import (
	"context"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/bad_durable_elsewhere/base"
)

//pinned:object /bad_durable_elsewhere
type Room struct {
	pinned.Object
	base.Base

	holder base.Holder
	mail   pinned.TrayOf[base.Mail]
}

//pinned:handle mail
func (r *Room) deliver(context.Context, string, *pinned.Dispatch) error { return nil }
