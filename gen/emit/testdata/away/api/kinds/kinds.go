// Package kinds has types of api.
package kinds

// Kind is a name.
type Kind string
