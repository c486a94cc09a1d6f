package result_string

import (
	"context"

	"github.com/pinned-go/pinned"
)

// Color is a string of its own.
type Color string

//pinned:object /result_string
type Sign struct{ pinned.Object }

//pinned:route GET /text
func (s *Sign) Text(ctx context.Context) string { return "as \"it\" is: é\n" }

//pinned:route GET /both
func (s *Sign) Both(ctx context.Context) (string, error) { return "", nil }

//pinned:route GET /color
func (s *Sign) Color(ctx context.Context) (Color, error) { return "red", nil }
