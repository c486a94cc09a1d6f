// Package bad_handles has trays that nothing consumes, and what consumes no tray.
package bad_handles

import (
	"context"
	"iter"

	"github.com/pinned-go/pinned"
)

//pinned:tray
type Mail struct{ pinned.Tray }

func (m *Mail) Items() iter.Seq[string] { return nil }

//pinned:object /bad_handles
type Room struct {
	pinned.Object

	mail    pinned.TrayOf[Mail]
	mails   pinned.TraysOf[Mail]
	jobs    pinned.Jobs[int]
	unused  pinned.Jobs[int]
	unused2 pinned.TrayOf[Mail]
	queue   pinned.Queue[int]
	short   pinned.Jobs[int]
	value   pinned.Jobs[int]
}

//pinned:handle mail
func (r *Room) fine(ctx context.Context, item string, d *pinned.Dispatch) error { return nil }

//pinned:handle mail
func (r *Room) again(ctx context.Context, item string, d *pinned.Dispatch) error { return nil }

//pinned:handle mails
func (r *Room) other(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }

//pinned:handle jobs
func (r *Room) byValue(ctx context.Context, item int, d pinned.Dispatch) error { return nil }

//pinned:handle short
func (r *Room) Short(ctx context.Context, item int) {}

//pinned:handle value
func (r Room) copied(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }

//pinned:handle queue
func (r *Room) queued(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }

//pinned:handle Mail
func (r *Room) none(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }

//pinned:handle r.jobs
func (r *Room) selected(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }

// Hall says nothing of what its method handles.
//
//pinned:object /bad_handles_halls
type Hall struct {
	pinned.Object

	jobs    pinned.Jobs[int]
	pointer *pinned.TrayOf[Mail]
}

//pinned:handle
func (h *Hall) nothing(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }

//pinned:handle pointer
func (h *Hall) pointed(ctx context.Context, item string, d *pinned.Dispatch) error { return nil }

//pinned:handle mail
func (m *Mail) tray(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }

//pinned:handle mail
func function(ctx context.Context, item int, d *pinned.Dispatch) error { return nil }
