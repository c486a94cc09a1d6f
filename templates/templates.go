// Package templates holds, embedded, the texts of what is generated beside the
// code of annotated packages: the first files of a new module. It imports nothing
// of the project, and computes nothing but the names in them.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"text/template"
)

//go:embed new
var scaffold embed.FS

// Data fills the scaffold of a new module.
type Data struct {
	Module  string // path of the new module
	Name    string // what its texts call it: the folder's name
	Version string // of github.com/pinned-go/pinned that go.mod requires
	Replace string // directory that stands in for that version, "" without
}

// Files gives the files of a new module by their path, with slashes: go.mod, a
// main, and a package with one object and its test. What pinnedgen makes of the
// object is not among them.
func Files(d Data) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(scaffold, "new", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := scaffold.ReadFile(path)
		if err != nil {
			return err
		}
		name := fileName(path)
		files[name], err = fill(name, string(text), d)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("fill the templates of %s: %w", d.Module, err)
	}
	return files, nil
}

// fileName is what a template's file is called in the new module. The templates
// have an ending of their own, since a go.mod here would be a module and a Go
// file a package; and no name begins with a dot, which embedding leaves out.
func fileName(path string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(path, "new/"), ".tmpl")
	if name == "gitignore" {
		return ".gitignore"
	}
	return name
}

func fill(name, text string, d Data) ([]byte, error) {
	t, err := template.New(name).
		Option("missingkey=error").
		Funcs(template.FuncMap{"path": quotePath}).
		Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, d); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// quotePath writes a directory for go.mod, in quotes where its grammar asks for
// them.
func quotePath(dir string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._~:@+-", r)
	}
	if dir != "" && strings.TrimFunc(dir, plain) == "" && !strings.Contains(dir, "//") {
		return dir
	}
	return strconv.Quote(dir)
}
