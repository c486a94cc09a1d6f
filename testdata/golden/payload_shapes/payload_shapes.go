package payload_shapes

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	"github.com/pinned-go/pinned"
)

type Tree struct {
	Value    int
	Children []*Tree `json:",omitempty"`
}

type Shapes struct {
	Bool    bool
	Bytes   []byte
	Array   [3]int
	Map     map[int]string
	Nested  struct{ A, B *int }
	Any     any
	Raw     json.RawMessage
	Number  json.Number
	Time    time.Time
	Wait    time.Duration
	Addr    netip.Addr
	Tree    *Tree
	Renamed string `json:"other_name"`
	AsText  int    `json:",string"`
	Hidden  string `json:"-"`
	private int
}

//pinned:object /payload_shapes
type Echo struct{ pinned.Object }

//pinned:route POST /echo
func (e *Echo) Echo(ctx context.Context, s Shapes) (*Shapes, error) {
	s.private = 1
	return &s, nil
}
