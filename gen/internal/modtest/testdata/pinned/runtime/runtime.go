// Package runtime has the types that generated signatures name.
package runtime

type (
	Worker         struct{}
	RegisterOption func()
	Ref            struct{}
)
