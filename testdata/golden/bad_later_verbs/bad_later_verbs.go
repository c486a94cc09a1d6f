// Package bad_later_verbs uses what doesn't exist yet.
package bad_later_verbs

import "github.com/pinned-go/pinned"

//pinned:object /bad_later_verbs
type Room struct{ pinned.Object }

//pinned:alarm nightly
func (r *Room) Alarm() {}

//pinned:handle mail
func (r *Room) Handle() {}

//pinned:route GET /x ungated
func (r *Room) X() {}

//pinned:tray
type Mail struct{}

//pinned:inbox Put
func (m *Mail) put() {}

//pinned:run
func Run() {}
