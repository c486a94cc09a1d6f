// Package templates holds the texts of what is generated beside Go code.
package templates

// Data fills the scaffold of a new module.
type Data struct {
	Module  string // path of the new module
	Name    string // what its README calls it: the folder's name
	Version string // of github.com/pinned-go/pinned that go.mod requires
	Replace string // directory that stands in for that version, "" without
}

// Files gives the files of a new module by their path with slashes.
func Files(d Data) (map[string][]byte, error) {
	return map[string][]byte{}, nil
}
