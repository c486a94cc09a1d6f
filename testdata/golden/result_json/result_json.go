package result_json

import (
	"context"

	"github.com/pinned-go/pinned"
)

type Point struct {
	X, Y int
	Name string `json:"name,omitempty"`
}

//pinned:object /result_json
type Board struct{ pinned.Object }

//pinned:route GET /plain
func (b *Board) Plain(ctx context.Context) Point { return Point{1, 2, "<&>"} }

//pinned:route GET /pair
func (b *Board) Pair(ctx context.Context) (Point, error) { return Point{X: 3}, nil }

//pinned:route GET /pointer
func (b *Board) Pointer(ctx context.Context) (*Point, error) { return &Point{Y: 4}, nil }

//pinned:route GET /nil
func (b *Board) Nil(ctx context.Context) (*Point, error) { return nil, nil }

//pinned:route GET /slice
func (b *Board) Slice(ctx context.Context) ([]Point, error) { return []Point{{X: 1}, {X: 2}}, nil }

//pinned:route GET /map
func (b *Board) Map(ctx context.Context) (map[string]*Point, error) {
	return map[string]*Point{"a": {X: 1}, "b": nil}, nil
}

//pinned:route GET /number
func (b *Board) Number(ctx context.Context) (float64, error) { return 1.5, nil }

//pinned:route GET /bool
func (b *Board) Bool() bool { return true }

//pinned:route GET /any
func (b *Board) Any(ctx context.Context) (any, error) { return map[string]any{"deep": []int{1}}, nil }

//pinned:route GET /anonymous
func (b *Board) Anonymous(ctx context.Context) (struct {
	A int `json:"a"`
}, error) {
	return struct {
		A int `json:"a"`
	}{7}, nil
}

//pinned:route GET /array
func (b *Board) Array() [2]uint8 { return [2]uint8{1, 2} }
