package bad_object_hides

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_object_hides
type Room struct {
	pinned.Object
	ID     string
	Alarms []string
}

//pinned:route GET /now
func (r *Room) Now(ctx context.Context) string { return "now" }

//pinned:route POST /alarm
func (r *Room) SetAlarm(ctx context.Context) {}

func (r *Room) Log() {}

// Epoch2 and a function called Turn are fine.
func (r *Room) Epoch2() {}

func Turn() {}
