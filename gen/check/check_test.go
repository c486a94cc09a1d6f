package check

import (
	"fmt"
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

// preamble begins the file of a case, on one line, so that lines of diagnostics count
// from the case's own. Imports that a case doesn't use are no fault of a signature.
const preamble = `package p; import ("context"; "errors"; "io"; "iter"; "net/http"; "os"; "time"; "encoding/json"; "math/big"; "net/url"; "sync"; "github.com/pinned-go/pinned")` + "\n"

// room begins most cases.
const room = "//pinned:object NS\ntype Room struct{ pinned.Object }\n"

// checkAll checks the sources, each a package of one module, in one load, and
// returns diagnostics as lines and models by name.
func checkAll(t *testing.T, cases map[string]string) (map[string][]string, map[string]*model.Package) {
	t.Helper()
	var archive strings.Builder
	dirs := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		dir := fmt.Sprintf("c%03d", i)
		dirs[dir] = name
		src := strings.ReplaceAll(cases[name], "NS", "/"+dir)
		fmt.Fprintf(&archive, "-- %s/p.go --\n%s%s\n", dir, preamble, src)
	}
	root := modtest.Write(t, archive.String())
	res, err := load.Load(t.Context(), load.Config{Dir: root, Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	models, diags := Check(res)
	lines := map[string][]string{}
	for _, d := range diags {
		name := dirs[filepath.Base(filepath.Dir(d.File))]
		lines[name] = append(lines[name], render(d))
	}
	byName := map[string]*model.Package{}
	for _, m := range models {
		byName[dirs[filepath.Base(m.Dir)]] = m
	}
	return lines, byName
}

// render writes a diagnostic with its lines counted from the case's first.
func render(d diag.Diagnostic) string {
	s := fmt.Sprintf("%d:%d-%d %s [%s]", d.Line-1, d.Col, d.EndCol, d.Message, d.Code)
	for _, r := range d.Related {
		s += fmt.Sprintf(" | %d:%d %s", r.Line-1, r.Col, r.Message)
	}
	if d.Fix != nil {
		s += " FIX " + *d.Fix
	}
	return s
}

// refused runs cases that each must give just these diagnostics.
func refused(t *testing.T, cases map[string]refusal) {
	t.Helper()
	sources := map[string]string{}
	for name, c := range cases {
		sources[name] = c.src
	}
	got, _ := checkAll(t, sources)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, got[name]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type refusal struct {
	src  string
	want []string
}
