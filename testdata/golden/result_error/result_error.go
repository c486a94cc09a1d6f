package result_error

import (
	"context"
	"errors"

	"github.com/pinned-go/pinned"
)

//pinned:object /result_error
type Door struct{ pinned.Object }

// Knock is answered.
//
//pinned:route POST /knock
func (d *Door) Knock(ctx context.Context) error { return nil }

// Push fails without a reason that a caller may read.
//
//pinned:route POST /push
func (d *Door) Push(ctx context.Context) error { return errors.New("the key is under the mat") }

// Ring fails with a reason.
//
//pinned:route POST /ring
func (d *Door) Ring(ctx context.Context) error {
	return &pinned.Error{Status: 409, Title: "Busy", Detail: "somebody else rings", Code: "busy"}
}
