package load

import (
	"testing"

	"github.com/pinned-go/pinned/gen/internal/modtest"
)

const room = `
-- rooms/room.go --
package rooms

import (
	"context"
	"iter"

	"github.com/pinned-go/pinned"
)

// Room is one.
//
//pinned:object /rooms
type Room struct {
	pinned.Object
}

type Topic struct{ Text string }

//pinned:route GET /topic
func (r *Room) Topic(ctx context.Context) (Topic, error) { return Topic{}, nil }

//pinned:route GET /topics
func (r *Room) Topics(ctx context.Context) iter.Seq2[Topic, error] { return nil }
`

func load(t *testing.T, dir string, patterns ...string) *Result {
	t.Helper()
	res, err := Load(t.Context(), Config{Dir: dir, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestLoadFirst(t *testing.T) {
	dir := modtest.Write(t, room)
	res := load(t, dir, "./...")
	for _, p := range res.Packages {
		t.Log(p.Path, p.Types, p.TypeErrors, p.Failures, p.Types.Scope().Names())
	}
	t.Log(res.Diagnostics)
}
