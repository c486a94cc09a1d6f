package unexported_types

import (
	"context"

	"github.com/pinned-go/pinned"
)

type request struct {
	Text string `json:"text"`
	n    int
}

type answer struct{ Heard string }

//pinned:object /unexported_types
type Room struct{ pinned.Object }

//pinned:route POST /say
func (r *Room) Say(ctx context.Context, req request) (answer, error) {
	return answer{req.Text}, nil
}

//pinned:route POST /all
func (r *Room) All(ctx context.Context, req *request) (map[string]answer, error) {
	return map[string]answer{"a": {req.Text}}, nil
}
