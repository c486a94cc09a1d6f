// Package runtime has the types that generated signatures name.
package runtime

import "encoding/json"

type (
	Worker         struct{}
	RegisterOption func()
	Ref            struct{}

	TrayClass[T, I any] struct{}
	Migration           func(doc map[string]json.RawMessage) (map[string]json.RawMessage, error)
)
