// Package msg has the types that both sides know.
package msg

type Thing struct {
	Name string
	Size int `query:"size"`
}
