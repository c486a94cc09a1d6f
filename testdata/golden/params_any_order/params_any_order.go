package params_any_order

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/pinned-go/pinned"
)

//pinned:object /params_any_order
type Echo struct{ pinned.Object }

type Q struct {
	A string `query:"a"`
}

//pinned:route PUT /all/{x}/{y}
func (e *Echo) All(ctx context.Context, caller pinned.Caller, y int, body io.Reader, q Q, req *http.Request, x string) (string, error) {
	text, err := io.ReadAll(body)
	return fmt.Sprint(caller.ID == "", x, y, string(text), q.A, req.PathValue("x") == x, req.Method), err
}

//pinned:route GET /without/{n}
func (e *Echo) Without(n int) int { return n }

//pinned:route GET /who
func (e *Echo) Who(caller pinned.Caller) int { return caller.Depth }

//pinned:route GET /blank/{n}
func (e *Echo) Blank(_ context.Context, n int, _ pinned.Caller, _ *http.Request) int { return n }
