// Package bells has the object whose alarms are measured: ten on each.
package bells

import (
	"context"
	"sync"
	"time"

	"github.com/pinned-go/pinned"
)

//go:generate go run github.com/pinned-go/pinned/cmd/pinnedgen

// Tower hears the bells.
type Tower struct {
	mu   sync.Mutex
	late []time.Duration
}

// Late takes how late each bell has rung since the last call.
func (t *Tower) Late() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	late := t.late
	t.late = nil
	return late
}

func (t *Tower) heard(due time.Time) error {
	late := time.Since(due)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = append(t.late, late)
	return nil
}

// Bell has ten alarms.
//
//pinned:object /bells
type Bell struct {
	pinned.Object

	// Tower hears it; a setup sets it.
	Tower *Tower
}

// Times are when the alarms are due.
type Times struct {
	At []time.Time `json:"at"`
}

// Arm sets all alarms.
//
//pinned:route POST /arm
func (b *Bell) Arm(_ context.Context, req Times) error {
	for i, schedule := range []func(pinned.When, time.Time) pinned.Receipt{
		b.ScheduleRing0,
		b.ScheduleRing1,
		b.ScheduleRing2,
		b.ScheduleRing3,
		b.ScheduleRing4,
		b.ScheduleRing5,
		b.ScheduleRing6,
		b.ScheduleRing7,
		b.ScheduleRing8,
		b.ScheduleRing9,
	} {
		schedule(pinned.At(req.At[i]), req.At[i])
	}
	return nil
}

//pinned:alarm ring0
func (b *Bell) ring0(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring1
func (b *Bell) ring1(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring2
func (b *Bell) ring2(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring3
func (b *Bell) ring3(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring4
func (b *Bell) ring4(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring5
func (b *Bell) ring5(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring6
func (b *Bell) ring6(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring7
func (b *Bell) ring7(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring8
func (b *Bell) ring8(_ context.Context, due time.Time) error { return b.Tower.heard(due) }

//pinned:alarm ring9
func (b *Bell) ring9(_ context.Context, due time.Time) error { return b.Tower.heard(due) }
