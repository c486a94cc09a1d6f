// Package bad_alarms has alarms that can't ring, and an ungated route without reason.
package bad_alarms

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_alarms
type Room struct{ pinned.Object }

// ScheduleTaken is the author's.
func (r *Room) ScheduleTaken() {}

//pinned:alarm digest
func (r *Room) digest(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm digest
func (r *Room) digest2(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm di-gest
func (r *Room) one(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm di_gest
func (r *Room) two(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm taken
func (r *Room) taken(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm Upper
func (r *Room) upper(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm no.dots
func (r *Room) dots(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm bare
func (r *Room) bare(context.Context) error { return nil }

//pinned:alarm pointer
func (r *Room) pointer(context.Context, *pinned.Alarm) error { return nil }

//pinned:alarm silent
func (r *Room) silent(context.Context, pinned.Alarm) {}

//pinned:alarm behind
func (r *Room) behind(context.Context, int, pinned.Alarm) error { return nil }

//pinned:alarm payload
func (r *Room) payload(context.Context, pinned.Alarm, chan int) error { return nil }

//pinned:alarm hidden
func (r *Room) hidden(ctx context.Context, h struct{ A, b int }) error { return nil }

//pinned:alarm copied
func (r Room) copied(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm setter
func (r *Room) SetAlarm(context.Context, pinned.Alarm) error { return nil }

//pinned:alarm
func (r *Room) nameless(context.Context, pinned.Alarm) error { return nil }

// Plain keeps nothing.
//
//pinned:object /bad_alarms_plain
type Plain struct {
	pinned.Object

	feed pinned.Feed[int]
}

//pinned:route GET /x ungated
func (p *Plain) X() {}
