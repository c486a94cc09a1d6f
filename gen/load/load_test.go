package load_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/gen/check"
	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/internal/modtest"
	"github.com/pinned-go/pinned/gen/load"
)

// object is the source of a package with one object and one route.
func object(pkg, namespace string) string {
	return "package " + pkg + `

import "github.com/pinned-go/pinned"

//pinned:object ` + namespace + `
type Room struct{ pinned.Object }

//pinned:route GET /x
func (r *Room) Get() int { return 0 }
`
}

// diagnostics loads and checks, and writes what is wrong with paths from dir.
func diagnostics(t *testing.T, cfg load.Config) ([]string, *load.Result) {
	t.Helper()
	res, err := load.Load(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, diags := check.Check(res)
	var lines []string
	for _, d := range diag.Relative(cfg.Dir, diags) {
		lines = append(lines, d.String())
	}
	return lines, res
}

func paths(res *load.Result) []string {
	var out []string
	for _, p := range res.Packages {
		out = append(out, p.Path)
	}
	return out
}

func listed(res *load.Result) []string {
	var out []string
	for _, l := range res.Listed {
		out = append(out, l.Path)
	}
	return out
}

func TestLoadAsksOnceAndOnlyForAnnotatedPackages(t *testing.T) {
	dir := modtest.Write(t, `
-- a/a.go --
`+object("a", "/a")+`
-- b/b.go --
`+object("b", "/b")+`
-- plain/plain.go --
package plain

import "github.com/pinned-go/pinned"

var _ pinned.Object
`)
	before := load.PackagesLoads()
	lines, res := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}})
	if len(lines) > 0 {
		t.Error(lines)
	}
	if n := load.PackagesLoads() - before; n != 1 {
		t.Errorf("%d loads", n)
	}
	if got := paths(res); !slices.Equal(got, []string{"example.com/m/a", "example.com/m/b"}) {
		t.Errorf("packages: %v", got)
	}
	if got := listed(res); !slices.Equal(got, []string{"example.com/m/a", "example.com/m/b", "example.com/m/plain"}) {
		t.Errorf("listed: %v", got)
	}
	before = load.PackagesLoads()
	if _, res = diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./plain"}}); len(res.Packages) != 0 {
		t.Errorf("packages: %v", paths(res))
	}
	if n := load.PackagesLoads() - before; n != 0 {
		t.Errorf("%d loads without any directive", n)
	}
}

func TestPatternsAgreeWithTheGoCommand(t *testing.T) {
	dir := modtest.Write(t, `
-- root.go --
package root
-- a/a.go --
package a
-- a/b/b.go --
package b
-- a/b/b_test.go --
package b
-- onlytest/x_test.go --
package onlytest
-- testdata/x.go --
package x
-- _hidden/x.go --
package x
-- .hidden/x.go --
package x
-- vendored/vendor/x.go --
package x
-- empty/readme.txt --
nothing
-- underscore/_x.go --
package underscore
-- ignored/deep/x.go --
package deep
-- nested/go.mod --
module example.com/nested
-- nested/x.go --
package nested
`)
	modtest.Put(t, filepath.Join(dir, "go.mod"), modtest.GoMod(t, modtest.Path)+"\nignore ./ignored\n")
	for _, patterns := range [][]string{
		{"./..."}, {"."}, nil, {"./a"}, {"./a/..."}, {"./a/b", "./a"}, {"example.com/m/..."}, {"example.com/m/a"}, {"example.com/m"},
		{filepath.Join(dir, "a") + "/..."}, {filepath.Join(dir, "a")}, {"./.../b"}, {"example.com/.../b"},
	} {
		res, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: patterns})
		if err != nil {
			t.Errorf("%v: %v", patterns, err)
			continue
		}
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-e", "-find", "-f", "{{.ImportPath}}", "--"}, patterns...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(string(out))
		slices.Sort(want)
		got := listed(res)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: %s", patterns, diff)
		}
	}
}

func TestLoadRefusesWhatPatternsDontName(t *testing.T) {
	dir := modtest.Write(t, "-- a/readme.txt --\nx\n")
	for pattern, want := range map[string]string{
		"./nosuch":              "./nosuch: there is no folder ",
		"./a":                   "./a: no Go files in ",
		"..":                    "..: no Go files in ",
		"example.com/other/...": "",
		"example.com/other":     "example.com/other",
		"fmt":                   "fmt: ",
		"all":                   "",
	} {
		_, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{pattern}})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", pattern, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v", pattern, err)
		}
	}
	_, err := load.Load(t.Context(), load.Config{Dir: t.TempDir()})
	if err == nil || !strings.HasPrefix(err.Error(), "no go.mod in ") {
		t.Errorf("no module: %v", err)
	}
}

func TestLoadTakesEveryKindOfModule(t *testing.T) {
	t.Run("a workspace", func(t *testing.T) {
		dir := modtest.Write(t, `
-- go.mod --
NONE
-- go.work --
go 1.26.0

use (
	./one
	./two
)
-- one/go.mod --
GOMOD(example.com/one)
-- one/a/a.go --
`+object("a", "/a")+`
-- two/go.mod --
GOMOD(example.com/two)
-- two/b/b.go --
package b

import (
	"example.com/one/a"
	"github.com/pinned-go/pinned"
)

//pinned:object /a
type Room struct{ pinned.Object }

//pinned:route GET /x
func (r *Room) Get() []int { return nil }

func Calls() a.RoomCalls { return nil }
`)
		lines, res := diagnostics(t, load.Config{Dir: filepath.Join(dir, "two"), Patterns: []string{"./...", "../one/..."}})
		if len(lines) > 0 { // the same namespace in two modules is none
			t.Error(lines)
		}
		if got := paths(res); !slices.Equal(got, []string{"example.com/one/a", "example.com/two/b"}) {
			t.Errorf("packages: %v", got)
		}
	})
	t.Run("a vendor folder", func(t *testing.T) {
		dir := modtest.Write(t, `
-- a/a.go --
`+object("a", "/a")+`
-- a/use.go --
package a

import "github.com/pinned-go/pinned/runtime"

var _ runtime.Ref
`)
		cmd := exec.CommandContext(t.Context(), "go", "mod", "vendor")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if lines, res := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}}); len(lines) > 0 || len(res.Packages) != 1 {
			t.Errorf("%v %v", paths(res), lines)
		}
	})
	t.Run("a folder called otherwise, a dot import, a cgo file and a file of another system", func(t *testing.T) {
		dir := modtest.Write(t, `
-- go-a.v2/a.go --
package a

import . "github.com/pinned-go/pinned"

//pinned:object /a
type Room struct{ Object }

//pinned:route WEBSOCKET /x
func (r *Room) Get(c *Conn[Alias, Alias]) {}

type Alias = text
-- go-a.v2/cgo.go --
package a

// typedef int number;
import "C"

type text string

//pinned:route GET /n
func (r *Room) N() Number { return 0 }

type Number int64

func n() C.number { return 0 }
-- go-a.v2/other_windows.go --
package a

func system() NoSuchType { return nil }
-- b/b.go --
package b

import "example.com/m/go-a.v2"

func Calls() a.RoomCalls { return nil }
`)
		lines, res := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}})
		if len(lines) > 0 {
			t.Error(lines)
		}
		if p := res.Packages[0]; p.Name != "a" || p.Path != "example.com/m/go-a.v2" {
			t.Errorf("%s at %s", p.Name, p.Path)
		}
	})
}

func TestBuildConstraints(t *testing.T) {
	tagged := "//go:build integration\n\n"
	t.Run("shared by all annotated files, they are the output's", func(t *testing.T) {
		dir := modtest.Write(t, "-- a/a.go --\n"+tagged+object("a", "/a")+"-- a/b.go --\npackage a\n")
		lines, res := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}, Tags: "integration"})
		if len(lines) > 0 {
			t.Error(lines)
		}
		if got := res.Packages[0].Constraint; got != "integration" {
			t.Errorf("constraint %q", got)
		}
		lines, res = diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}})
		want := []string{"a/a.go:7:1: this file is not in the build, by its //go:build integration: run pinnedgen with the -tags that it asks for [PIN035]"}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Error(diff)
		}
		if len(res.Orphans) > 0 {
			t.Errorf("orphans: %v", res.Orphans)
		}
	})
	t.Run("of a whole package, without the tag", func(t *testing.T) {
		dir := modtest.Write(t, "-- a/a.go --\n"+tagged+object("a", "/a"))
		lines, _ := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}})
		if len(lines) != 1 || !strings.Contains(lines[0], "[PIN035]") {
			t.Error(lines)
		}
	})
	t.Run("that differ, and a system's file", func(t *testing.T) {
		dir := modtest.Write(t, "-- a/a.go --\n"+object("a", "/a")+"-- a/b.go --\n"+tagged+
			"package a\n\n//pinned:route GET /y\nfunc (r *Room) Y() {}\n-- b/b_linux.go --\n"+object("b", "/b"))
		lines, _ := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}, Tags: "integration"})
		want := []string{
			"a/b.go:5:1: all annotated files of a package need the same build constraint, since they have one output: this file has //go:build integration [PIN032]\n\ta/a.go:5:1: this file has none",
			"b/b_linux.go:5:1: a directive can't stand in b_linux.go: its name keeps it out of the builds of other systems, where the output would not compile [PIN031]",
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOrphans(t *testing.T) {
	const output = load.Header + "\n\npackage a\n"
	dir := modtest.Write(t, `
-- a/a.go --
package a
-- a/pinned_gen.go --
`+output+`
-- b/b.go --
package b

//pinned:rout GET /x
-- b/pinned_gen.go --
`+output+`
-- c/pinned_gen.go --
package c

// written by hand
-- d/d.go --
`+strings.Replace(object("d", "/d"), "/d", "/d client=./api", 1)+`
-- d/api/pinned_gen.go --
`+output+`
-- e/e.go --
package e
-- e/pinned_gen.go --
`+load.Header+"\n\npackage e\n\nimport _ \"example.com/m/e/api\"\n"+`
-- e/api/pinned_gen.go --
`+output+`
-- f/f.go --
`+object("f", "/f")+`
-- f/pinned_gen.go --
package f

// written by hand
`)
	lines, res := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}})
	rel := func(files []string) []string {
		var out []string
		for _, f := range files {
			r, err := filepath.Rel(dir, f)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, filepath.ToSlash(r))
		}
		return out
	}
	if diff := cmp.Diff([]string{"a/pinned_gen.go", "e/api/pinned_gen.go", "e/pinned_gen.go"}, rel(res.Orphans)); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"b/b.go:3:10: unknown directive //pinned:rout, did you mean //pinned:route? [PIN007]",
		"f/pinned_gen.go:1:1: this file takes the name of the generated one and wasn't generated: it is never overwritten, so rename it [PIN033]",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	_, res = diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./e"}})
	if diff := cmp.Diff([]string{"e/api/pinned_gen.go", "e/pinned_gen.go"}, rel(res.Orphans)); diff != "" {
		t.Errorf("by its package alone: %s", diff)
	}
	_, res = diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./d/api"}})
	if len(res.Orphans) > 0 || !slices.Equal(paths(res), []string{"example.com/m/d", "example.com/m/d/api"}) {
		t.Errorf("a client's folder alone: %v, orphans %v", paths(res), res.Orphans)
	}
}

func TestLoadReportsSyntaxErrors(t *testing.T) {
	dir := modtest.Write(t, "-- a/a.go --\n"+object("a", "/a")+"\nfunc f( {\n\nvar x = = 1\n-- b/b.go --\npackage b\n\nfunc f( {\n")
	lines, _ := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}})
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "a/a.go:11:") || !strings.HasSuffix(lines[0], "[PIN030]") {
		t.Error(strings.Join(lines, "\n"))
	}
	for _, l := range lines {
		if strings.HasPrefix(l, "b/") {
			t.Errorf("a package without directives: %s", l)
		}
	}
}

func TestLoadSaysPlainlyThatGoIsTooOld(t *testing.T) {
	dir := modtest.Write(t, "-- a/a.go --\n"+object("a", "/a"))
	modtest.Put(t, filepath.Join(dir, "go.mod"), strings.Replace(modtest.GoMod(t, modtest.Path), "go 1.26.0", "go 1.99.0", 1))
	_, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"./..."}, Env: append(os.Environ(), "GOTOOLCHAIN=local")})
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "asks for go1.99.0") {
		t.Errorf("module: %v", err)
	}
	for built, tooOld := range map[string]bool{
		"go1.98": true, "go1.99rc1": false, "go1.99.0": false, "go1.100": false, "devel go1.99-abc": false, "go1.98.7 X:nothing": true,
	} {
		if err := load.TooOld(dir, built); (err != nil) != tooOld {
			t.Errorf("%s: %v", built, err)
		}
	}
}

func TestLoadSaysPlainlyWhatTheGoCommandRefuses(t *testing.T) {
	dir := modtest.Write(t, "-- a/a.go --\n"+object("a", "/a"))
	modtest.Put(t, filepath.Join(dir, "go.mod"), modtest.GoMod(t, modtest.Path)+"\nrequire (\n")
	if _, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"./..."}}); err == nil {
		t.Error("a broken go.mod is taken")
	}
	env := append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }), "PATH=/nowhere")
	dir = modtest.Write(t, "-- a/a.go --\n"+object("a", "/a"))
	t.Setenv("PATH", "/nowhere")
	if _, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"./..."}, Env: env}); err == nil || !strings.Contains(err.Error(), "go") {
		t.Errorf("no go command: %v", err)
	}
}

func TestMissingImportsStopOnlyWhatNeedsThem(t *testing.T) {
	dir := modtest.Write(t, `
-- a/a.go --
package a

import (
	"example.com/nowhere"
	"github.com/pinned-go/pinned"
)

//pinned:object /a
type Room struct {
	pinned.Object
	far nowhere.Thing
}

//pinned:route GET /x
func (r *Room) Get() int { return nowhere.F() }

func Helper() nowhere.Thing { return undefined }
`)
	if lines, _ := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}}); len(lines) > 0 {
		t.Error(lines)
	}
	src, err := os.ReadFile(filepath.Join(dir, "a", "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	modtest.Put(t, filepath.Join(dir, "a", "a.go"), strings.Replace(string(src), "Get() int", "Get() nowhere.Thing", 1))
	lines, _ := diagnostics(t, load.Config{Dir: dir, Patterns: []string{"./..."}})
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "a/a.go:4:2: could not import example.com/nowhere") {
		t.Error(strings.Join(lines, "\n"))
	}
}
