package bad_client_beside

import (
	"context"
	"errors"

	"github.com/pinned-go/pinned"
)

type Topic struct{ Text string }

// ErrLocked is on the wrong side.
//
//pinned:error locked_beside 423
var ErrLocked = errors.New("locked")

//pinned:object /bad_client_beside client=./api
type Room struct{ pinned.Object }

//pinned:route PUT /topic
func (r *Room) SetTopic(ctx context.Context, t Topic) error { return nil }

//pinned:route GET /topics
func (r *Room) Topics(ctx context.Context) (map[string][]*Topic, error) { return nil, nil }
