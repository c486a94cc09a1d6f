// Package naming_imports uses types of packages that share a name.
package naming_imports

import (
	"context"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/naming_imports/a/model"
	model2 "github.com/pinned-go/pinned/goldens/naming_imports/b/model"
	foo "github.com/pinned-go/pinned/goldens/naming_imports/foo/v2"
	"github.com/pinned-go/pinned/goldens/naming_imports/go-bar"
	"github.com/pinned-go/pinned/goldens/naming_imports/runtime"
	"github.com/pinned-go/pinned/goldens/naming_imports/uuid"
)

//pinned:object /naming_imports
type Mixer struct{ pinned.Object }

//pinned:route POST /mix
func (m *Mixer) Mix(ctx context.Context, model model.T) (model2.T, error) {
	return model2.T{B: model.A}, nil
}

//pinned:route POST /again
func (m *Mixer) Again(ctx context.Context, model2 model2.T) (map[string][]*model.T, error) {
	return nil, nil
}

//pinned:route POST /uuid
func (m *Mixer) UUID(ctx context.Context, another_uuid another_uuid.UUID) (another_uuid.UUID, error) {
	return another_uuid, nil
}

//pinned:route POST /foo
func (m *Mixer) Foo(ctx context.Context, v2 foo.Foo) (foo.Foo, error) { return v2, nil }

//pinned:route POST /bar
func (m *Mixer) Bar(ctx context.Context, b bar.Bar) (runtime.Stat, error) { return runtime.Stat{}, nil }
