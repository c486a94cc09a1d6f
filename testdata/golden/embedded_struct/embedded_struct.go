package embedded_struct

import (
	"context"
	"sync"

	"github.com/pinned-go/pinned"
)

type Named struct{ name string }

func (n *Named) Name() string { return n.name }

type common struct {
	Named
	mu sync.Mutex
}

//pinned:object /embedded_struct
type Lamp struct {
	common
	pinned.Object
	*Extra
}

type Extra struct{ n int }

//pinned:route PUT /name/{name}
func (l *Lamp) SetName(ctx context.Context, name string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = name
	return l.Name(), nil
}
