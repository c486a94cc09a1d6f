package client_elsewhere

import (
	"context"
	"time"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/client_elsewhere/boxes"
	"github.com/pinned-go/pinned/goldens/client_elsewhere/msg"
)

// Box is called by programs that don't link it.
//
//pinned:object /client_elsewhere client=./boxes
type Box struct{ pinned.Object }

// Put puts something in.
//
//pinned:route POST /things
func (b *Box) Put(ctx context.Context, t msg.Thing) (msg.Thing, error) { return t, nil }

//pinned:route GET /full
func (b *Box) Full(ctx context.Context) (time.Time, error) { return time.Time{}, boxes.ErrFull }
