package errors_declared

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinned-go/pinned"
)

// ErrLocked is a variable.
//
//pinned:error locked 423
var ErrLocked = errors.New("the door is locked")

var (
	// ErrGone stands in a group.
	//
	//pinned:error gone 410
	ErrGone = errors.New("the door is gone")
)

// Full is a type.
//
//pinned:error full 507
type Full struct {
	Seats int    `json:"seats"`
	Who   string `json:"who"`
}

func (f Full) Error() string { return fmt.Sprintf("all %d seats are taken", f.Seats) }

// Late is an error as a pointer.
//
//pinned:error too_late-2 409
type Late struct{ By int }

func (l *Late) Error() string { return "too late" }

//pinned:object /errors_declared
type Door struct{ pinned.Object }

//pinned:route GET /locked
func (d *Door) Locked(ctx context.Context) error { return fmt.Errorf("secret: %w", ErrLocked) }

//pinned:route GET /gone
func (d *Door) Gone(ctx context.Context) (int, error) { return 0, ErrGone }

//pinned:route GET /full
func (d *Door) Full(ctx context.Context) (string, error) { return "", Full{7, "Ann"} }

//pinned:route GET /late
func (d *Door) Late(ctx context.Context) error { return fmt.Errorf("wrapped: %w", &Late{3}) }

//pinned:route GET /hidden
func (d *Door) Hidden(ctx context.Context) error { return errors.New("secret") }
