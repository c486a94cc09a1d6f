package objects_several

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /objects_several_b
type B struct{ pinned.Object }

//pinned:route GET /hello
func (b *B) Hello(ctx context.Context) string { return "b " + b.ID() }

//pinned:object /objects_several_a
type A struct{ pinned.Object }

// Hello asks B.
//
//pinned:route GET /hello
func (a *A) Hello(ctx context.Context) (string, error) {
	heard, err := From(a).B("of-a").Hello(ctx)
	if err != nil {
		return "", err
	}
	return "a heard " + heard, nil
}

// Caller asks C who called.
//
//pinned:route GET /caller
func (a *A) Caller(ctx context.Context) (string, error) { return From(a).C("x").Who(ctx) }
