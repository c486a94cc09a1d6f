package validate

import (
	"context"
	"errors"
	"strings"

	"github.com/pinned-go/pinned"
)

type ByValue struct{ Text string }

func (v ByValue) Validate() error {
	if strings.HasPrefix(v.Text, "Text") {
		return errors.New("text must not begin with Text")
	}
	return nil
}

type ByPointer struct {
	N int `query:"n"`
}

func (v *ByPointer) Validate() error {
	if v.N > 0 {
		return errors.New("n must not be positive")
	}
	return nil
}

//pinned:object /validate
type Check struct{ pinned.Object }

//pinned:route POST /value
func (c *Check) Value(ctx context.Context, v ByValue) error { return nil }

//pinned:route GET /pointer
func (c *Check) Pointer(ctx context.Context, v ByPointer) int { return v.N }

//pinned:route GET /pointer2
func (c *Check) Pointer2(ctx context.Context, v *ByPointer) int { return v.N }
