package opt

type Of[T any] struct {
	Set   bool
	Value T
}
