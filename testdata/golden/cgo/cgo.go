package cgo

/*
static int twice(int n) { return 2 * n; }
*/
import "C"

import (
	"context"

	"github.com/pinned-go/pinned"
)

//pinned:object /cgo
type Lamp struct{ pinned.Object }

//pinned:route GET /twice/{n}
func (l *Lamp) Twice(ctx context.Context, n int) (int, error) { return int(C.twice(C.int(n))), nil }
