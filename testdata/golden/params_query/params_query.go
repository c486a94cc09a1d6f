package params_query

import (
	"context"
	"fmt"
	"time"

	"github.com/pinned-go/pinned"
)

type Kind string

type Query struct {
	Text    string     `query:"text"`
	Kind    Kind       `query:"kind"`
	N       int        `query:"n"`
	Small   int8       `query:"small"`
	Size    uint       `query:"size"`
	Ratio   float64    `query:"ratio"`
	Yes     bool       `query:"yes"`
	At      time.Time  `query:"at"`
	Limit   int        `query:"limit" default:"50"`
	Maybe   *string    `query:"maybe"`
	Since   *time.Time `query:"since"`
	Tags    []string   `query:"tag"`
	Numbers []int64    `query:"number"`
	Odd     string     `query:"odd name[]"`
}

//pinned:object /params_query
type Echo struct{ pinned.Object }

//pinned:route GET /get
func (e *Echo) Get(ctx context.Context, q Query) (Query, error) { return q, nil }

//pinned:route DELETE /delete
func (e *Echo) Delete(ctx context.Context, q *Query) string { return fmt.Sprint(q.N, q.Tags) }

//pinned:route HEAD /head
func (e *Echo) Head(ctx context.Context, q Query) error { return nil }
