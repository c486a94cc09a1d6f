package bad_names_taken

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_names_taken
type Room struct{ pinned.Object }

//pinned:route GET /
func (r *Room) Get(ctx context.Context) {}

type RoomClient struct{}

type RoomRef struct{}

func Register() {}

var PinnedErrors = 1

const Client = 1

func SetupRoom() {}

type FakeRoom int

func matchRoom() {}

func serveRoomGet() {}

type Fakes struct{}
