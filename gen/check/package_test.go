package check

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/internal/modtest"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// checkModule checks a module, and returns its models by path from the module's, and
// what is wrong as text.
func checkModule(t *testing.T, archive string, patterns ...string) (map[string]*model.Package, []string) {
	t.Helper()
	dir := modtest.Write(t, archive)
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	res, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	models, diags := Check(res)
	byPath := map[string]*model.Package{}
	for _, m := range models {
		byPath[strings.TrimPrefix(m.Path, modtest.Path+"/")] = m
	}
	var lines []string
	for _, d := range diag.Relative(dir, diags) {
		lines = append(lines, d.String())
	}
	return byPath, lines
}

func TestNamespacesAreOncePerModule(t *testing.T) {
	_, lines := checkModule(t, `
-- a/a.go --
package a

import "github.com/pinned-go/pinned"

//pinned:object /x
type A struct{ pinned.Object }
-- b/b.go --
package b

import "github.com/pinned-go/pinned"

//pinned:object /x
type B struct{ pinned.Object }
`)
	want := []string{"b/b.go:5:17: namespace /x is taken in this module, by A of example.com/m/a [PIN048]\n\ta/a.go:5:1: A has it"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// errorPackages import one another: top imports left and right, which import base.
const errorPackages = `
-- base/base.go --
package base

import "errors"

//pinned:error gone 410
var ErrGone = errors.New("gone")
-- left/left.go --
package left

import (
	"errors"

	_ "example.com/m/base"
)

//pinned:error locked 423
var ErrLocked = errors.New("locked")
-- right/right.go --
package right

import (
	_ "example.com/m/base"
	"github.com/pinned-go/pinned"
)

//pinned:object /right
type Right struct{ pinned.Object }
-- plain/plain.go --
package plain
-- top/top.go --
package top

import (
	_ "example.com/m/left"
	_ "example.com/m/plain"
	_ "example.com/m/right"
	"github.com/pinned-go/pinned"
)

//pinned:object /top
type Top struct{ pinned.Object }
`

func TestErrorTablesAreMergedFromImports(t *testing.T) {
	for name, patterns := range map[string][]string{"of one run": {"./..."}, "of other packages": {"./top"}} {
		t.Run(name, func(t *testing.T) {
			models, lines := checkModule(t, errorPackages, patterns...)
			if len(lines) > 0 {
				t.Error(lines)
			}
			want := []model.Import{{Path: "example.com/m/left", Name: "left"}, {Path: "example.com/m/right", Name: "right"}}
			if diff := cmp.Diff(want, models["top"].ErrorImports); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorCodesAreOnceAmongImports(t *testing.T) {
	archive := strings.Replace(errorPackages, "//pinned:object /top", "//pinned:error gone 410\ntype E struct{ error }\n\n//pinned:object /top", 1)
	for name, patterns := range map[string][]string{"of one run": {"./..."}, "of other packages": {"./top"}} {
		t.Run(name, func(t *testing.T) {
			_, lines := checkModule(t, archive, patterns...)
			lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "[PIN083]") })
			column := map[string]string{"of one run": "16", "of other packages": "1"}[name] // what is known of the first
			want := []string{"top/top.go:10:16: error code \"gone\" is taken by ErrGone [PIN091]\n\tbase/base.go:5:" + column + ": ErrGone has it"}
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClientsElsewhereNeedTypesElsewhere(t *testing.T) {
	_, lines := checkModule(t, `
-- a/a.go --
package a

import (
	"context"
	"errors"

	"example.com/m/a/api"
	"github.com/pinned-go/pinned"
)

//pinned:object /a client=./api
type A struct{ pinned.Object }

//pinned:error gone 410
var ErrGone = errors.New("gone")

type Here struct{ X int }

//pinned:route POST /x
func (a *A) X(ctx context.Context, h Here) ([]*Here, error) { return nil, nil }

//pinned:route POST /y
func (a *A) Y(ctx context.Context, t api.There) error { return nil }

//pinned:object /b client=./123
type B struct{ pinned.Object }

//pinned:object /c client=./other
type C struct{ pinned.Object }
-- a/api/api.go --
package api

type There struct{ Y int }

func NewClient() {}
-- a/other/go.mod --
module example.com/other
`)
	want := []string{
		"a/a.go:14:16: ErrGone must be declared in ./api, where the client and its error table are [PIN049]\n\ta/a.go:11:1: A has its client there",
		"a/a.go:20:38: Here is declared beside A, whose client is in ./api and can't import this package: declare it there [PIN049]\n\ta/a.go:17:6: Here is declared here",
		"a/a.go:20:45: Here is declared beside A, whose client is in ./api and can't import this package: declare it there [PIN049]\n\ta/a.go:17:6: Here is declared here",
		"a/a.go:25:27: \"123\" can't be a package's name: put a file with a package clause into ./123, or call the folder otherwise [PIN034]",
		"a/a.go:28:27: client \"./other\" is in another module [PIN034]",
		"a/api/api.go:5:6: NewClient is a name that pinnedgen generates: call this otherwise [PIN092]\n\ta/a.go:11:1: generated for the client",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestImportCyclesThroughClientsAreReported(t *testing.T) {
	_, lines := checkModule(t, `
-- a/a.go --
package a

import (
	"example.com/m/b"
	"github.com/pinned-go/pinned"
)

//pinned:object /a
type A struct{ pinned.Object }

//pinned:route GET /x
func (a *A) X() b.T { return b.T{} }
-- b/b.go --
package b

import (
	"example.com/m/a"
	"github.com/pinned-go/pinned"
)

//pinned:object /b
type B struct{ pinned.Object }

type T struct{ A a.Client }

//pinned:route GET /x
func (b *B) X() a.A { return a.A{} }
`)
	want := []string{"b/b.go:4:2: could not import example.com/m/a (import cycle not allowed) [PIN036]"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestNamesAreThoseOfHandWrittenFiles(t *testing.T) {
	models, lines := checkModule(t, `
-- go-a/a.go --
package a

import (
	"context"
	std "errors"
	. "io"

	other "example.com/m/go-b"
	"example.com/m/go-c"
	"github.com/pinned-go/pinned"
)

//pinned:object /a
type A struct{ pinned.Object }

const one, two = 1, 2

var three, _ int

func four() {}

func (a *A) five() {}

func init() {}
-- go-a/a_test.go --
package a

func six() {}
-- go-a/x_test.go --
package a_test

func seven() {}
-- go-a/pinned_gen.go --
// Code generated by pinnedgen. DO NOT EDIT.

package a

func eight() {}
-- go-b/b.go --
package b
-- go-c/c.go --
package see
`)
	if len(lines) > 0 {
		t.Error(lines)
	}
	var got []string
	for _, name := range slices.Sorted(maps.Keys(models["go-a"].Names)) {
		if name[0] >= 'a' || name == "A" || name == "Reader" { // the rest is io's
			got = append(got, name)
		}
	}
	want := []string{"A", "Reader", "context", "four", "one", "other", "pinned", "see", "six", "std", "three", "two"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if at := models["go-a"].Names["four"]; filepath.Base(at.Filename) != "a.go" || at.Line != 20 || at.Column != 6 {
		t.Errorf("four at %v", at)
	}
}

func TestFingerprint(t *testing.T) {
	const src = `package a

import (
	"errors"

	"github.com/pinned-go/pinned"
)

// A is an object.
//
//pinned:object /a
type A struct {
	pinned.Object
	n int
}

// X does.
//
//pinned:route GET /x
func (a *A) X(q struct {
	Q int BQUERY
}) int {
	return a.n
}

// ErrGone is one.
//
//pinned:error gone 410
var ErrGone = errors.New("gone")
`
	base := strings.ReplaceAll(src, "BQUERY", "`query:\"q\"`")
	of := func(files map[string]string) string {
		var archive strings.Builder
		for name, text := range files {
			archive.WriteString("-- a/" + name + " --\n" + text)
		}
		models, lines := checkModule(t, archive.String(), "./a")
		if len(lines) > 0 {
			t.Fatal(lines)
		}
		return models["a"].Fingerprint
	}
	want := of(map[string]string{"a.go": base})
	if !strings.HasPrefix(want, "sha256:") || len(want) != len("sha256:")+64 {
		t.Fatalf("fingerprint %q", want)
	}
	edit := func(old, text string) map[string]string {
		edited := strings.Replace(base, old, text, 1)
		if edited == base {
			t.Fatalf("nothing changed: %s", old)
		}
		return map[string]string{"a.go": edited}
	}
	before, _, _ := strings.Cut(base, "// X does.")
	split := len(before)
	header, _, _ := strings.Cut(base, "// A is")
	for name, files := range map[string]map[string]string{
		"another file name": {"b.go": base},
		"two files":         {"b.go": base[:split], "a.go": header + base[split:]},
		"a body":            edit("return a.n", "return a.n + 1"),
		"the start value":   edit(`errors.New("gone")`, `errors.New("away")`),
		"layout":            edit("\tn int\n", "\n\tn   int\n"),
		"a stray comment":   edit("// A is", "// Nothing of ours.\n\n// A is"),
		"lines end in CRLF": {"a.go": strings.ReplaceAll(base, "\n", "\r\n")},
		"an unrelated file": {"a.go": base, "z.go": "package a\n\nvar z int\n"},
	} {
		if got := of(files); got != want {
			t.Errorf("%s changed it", name)
		}
	}
	for name, files := range map[string]map[string]string{
		"a path":              edit("GET /x", "GET /y"),
		"another route":       edit("//pinned:route GET /x", "//pinned:route GET /x\n//pinned:route GET /y"),
		"prose of a comment":  edit("X does.", "X does it."),
		"an option":           edit("GET /x", "GET /x concurrent"),
		"a field":             edit("n int", "n int\n\tm int"),
		"a tag":               edit(`query:"q"`, `query:"r"`),
		"a status":            edit("gone 410", "gone 404"),
		"a namespace":         edit("object /a", "object /b"),
		"a name of a package": edit("package a", "package b"),
	} {
		if got := of(files); got == want {
			t.Errorf("%s didn't change it", name)
		}
	}
}
