package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeObjects makes a module of count packages with an object each, which uses
// the checkout at root.
func writeObjects(dir, root string, count int) error {
	// The checkout's own requirements and sums are all that its packages need.
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	module := strings.Replace(string(mod), "module "+modulePath, "module bench.test/objects", 1) +
		fmt.Sprintf("\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n", modulePath, root)
	files := map[string]string{"go.mod": module, "go.sum": string(sum)}
	for n := range count {
		files[packageFile(n)] = fmt.Sprintf(objectSource, n)
	}
	return writeFiles(dir, files)
}

// writeConverters makes a module of count packages for goverter.
func writeConverters(dir string, count int) error {
	files := map[string]string{"go.mod": "module bench.test/converters\n\ngo 1.26.0\n"}
	for n := range count {
		files[packageFile(n)] = fmt.Sprintf(converterSource, n)
	}
	return writeFiles(dir, files)
}

// writeStringed makes a module of one package for stringer.
func writeStringed(dir string) error {
	return writeFiles(dir, map[string]string{
		"go.mod":       "module bench.test/stringed\n\ngo 1.26.0\n",
		packageFile(0): stringedSource,
	})
}

func packageFile(n int) string { return fmt.Sprintf("p%03d/p.go", n) }

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// tempDir makes a folder that goes with the stage.
func (s *stage) tempDir() (string, error) {
	dir, err := os.MkdirTemp("", "pinned-bench-")
	if err != nil {
		return "", err
	}
	s.atEnd(func() { _ = os.RemoveAll(dir) })
	return dir, nil
}

const objectSource = `// Package p%03[1]d has one object.
package p%03[1]d

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/pinned-go/pinned"
)

// Counter counts.
//
//pinned:object /counters-%[1]d
type Counter struct {
	pinned.Object

	count int
}

// Add is the request of Counter.Add.
type Add struct {
	N    int             ` + "`json:\"n\"`" + `
	Note json.RawMessage ` + "`json:\"note\"`" + `
}

// Count is what it answers.
type Count struct {
	N int ` + "`json:\"n\"`" + `
}

// Add adds to the count.
//
//pinned:route POST /count
func (c *Counter) Add(ctx context.Context, req Add) (Count, error) {
	c.count += req.N
	return Count{N: c.count}, nil
}

// Get returns it.
//
//pinned:route GET /count
func (c *Counter) Get(ctx context.Context) (Count, error) {
	return Count{N: c.count}, nil
}

// Page shows it.
//
//pinned:route GET /page/{name}
func (c *Counter) Page(w http.ResponseWriter, req *http.Request) {
	http.Error(w, req.PathValue("name"), http.StatusTeapot)
}
`

const converterSource = `// Package p%03[1]d has one converter.
package p%03[1]d

import (
	"encoding/json"
	"net/http"
)

// In is converted to Out.
type In struct {
	N      int
	Note   json.RawMessage
	Header http.Header
}

// Out is what it becomes.
type Out struct {
	N      int
	Note   json.RawMessage
	Header http.Header
}

// goverter:converter
// goverter:output:file ./generated.go
// goverter:output:package bench.test/converters/p%03[1]d
type Converter interface {
	Convert(in In) Out
	ConvertAll(in []In) []Out
}
`

const stringedSource = `// Package p000 has one type with names.
package p000

import (
	"encoding/json"
	"net/http"
)

// Colour is one of three.
type Colour int

const (
	Red Colour = iota
	Green
	Blue
)

// MarshalJSON writes the number.
func (c Colour) MarshalJSON() ([]byte, error) { return json.Marshal(int(c)) }

// ServeHTTP answers with it.
func (c Colour) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	_ = json.NewEncoder(w).Encode(c)
}
`
