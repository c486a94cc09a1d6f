// Package user has an object that answers with the error of another package.
package user

import (
	"context"
	"errors"

	"github.com/pinned-go/pinned"
	shop "github.com/pinned-go/pinned/goldens/errors_without_objects"
)

// ErrOwn is its own.
//
//pinned:error own 400
var ErrOwn = errors.New("own")

//pinned:object /errors_without_objects
type User struct{ pinned.Object }

//pinned:route GET /none
func (u *User) None(ctx context.Context) error { return shop.ErrNone }

//pinned:route GET /own
func (u *User) Own(ctx context.Context) error { return ErrOwn }
