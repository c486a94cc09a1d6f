package bind

import (
	"encoding/json"

	"github.com/pinned-go/pinned/internal/core/alarm"
)

// Alarms is an Instance that keeps alarms.
type Alarms interface {
	// SetAlarm enlists an alarm, an upsert by its name.
	SetAlarm(name string, s alarm.Schedule, payload json.RawMessage) Written
	// CancelAlarm takes it away, and reports whether it was there.
	CancelAlarm(name string) (Written, bool)
	// Alarms are those that are set, the next first.
	Alarms() []alarm.Info
}

// ScheduleOf is what a pinned.When says. Package pinned fills it in.
var ScheduleOf func(when any) alarm.Schedule
