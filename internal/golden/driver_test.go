package golden

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/gen"
)

// textsVariable names the folder into which the driver writes.
const textsVariable = "GOLDEN_TEXTS"

// driver writes the test that imports every generated package and hands what it
// offers to Drive. It names the cases that it drives: all but those whose
// packages it can't import (main, internal ones).
func driver(t *testing.T, dir string, cases []*testCase, files map[string][]gen.File) (source []byte, driven []string) {
	t.Helper()
	var imports, table bytes.Buffer
	aliases := 0
	for _, c := range cases {
		var register, clients bytes.Buffer
		for _, f := range files[c.name] {
			offered := offers(t, f)
			name := relative(t, dir, path.Dir(f.Path))
			if offered["package main"] || strings.Contains(name, "/internal/") || !offered["Register"] && !offered["NewClient"] {
				continue
			}
			alias := fmt.Sprintf("p%d", aliases)
			aliases++
			fmt.Fprintf(&imports, "%s %q\n", alias, path.Join(modulePath, name))
			if offered["Register"] {
				fmt.Fprintf(&register, "%s.Register,\n", alias)
			}
			if offered["NewClient"] {
				fmt.Fprintf(&clients, `{
					New: func(base string) any { return %s.NewClient(base) },
					InProcess: func(w *runtime.Worker) any { return %[1]s.InProcess(w) },
				},
				`, alias)
			}
		}
		if register.Len() == 0 || clients.Len() == 0 {
			continue
		}
		driven = append(driven, c.name)
		fmt.Fprintf(&table, "%q: {\nRegister: []func(*runtime.Worker, ...runtime.RegisterOption){\n%s},\nClients: []golden.Client{\n%s},\n},\n",
			c.name, register.Bytes(), clients.Bytes())
	}
	source, err := format.Source(fmt.Appendf(nil, driverText, imports.Bytes(), table.Bytes(), textsVariable))
	if err != nil {
		t.Fatal(err)
	}
	return source, driven
}

const driverText = `package drive

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pinned-go/pinned/internal/golden"
	"github.com/pinned-go/pinned/runtime"

	%s
)

var cases = map[string]golden.Case{
	%s
}

func TestDrive(t *testing.T) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			text := golden.Drive(t, c)
			if err := os.WriteFile(filepath.Join(os.Getenv(%q), name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}
`

// offers are the functions that a generated file declares, and its package.
func offers(t *testing.T, f gen.File) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	offered := map[string]bool{"package " + parsed.Name.Name: true}
	for _, d := range parsed.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			offered[fn.Name.Name] = true
		}
	}
	return offered
}
