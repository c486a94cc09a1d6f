package emit_test

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/gen/check"
	"github.com/pinned-go/pinned/gen/emit"
	"github.com/pinned-go/pinned/gen/load"
	"github.com/pinned-go/pinned/gen/model"
)

// describe loads and checks the packages of testdata that patterns name.
func describe(t *testing.T, patterns ...string) []*model.Package {
	t.Helper()
	res, err := load.Load(t.Context(), load.Config{Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	packages, problems := check.Check(res)
	for _, p := range problems {
		t.Errorf("%v", p)
	}
	if t.Failed() {
		t.FailNow()
	}
	if len(packages) == 0 {
		t.Fatalf("%v name no annotated package", patterns)
	}
	return packages
}

// fixtures are packages with every signature and every hard name.
var fixtures = []string{
	"./testdata/naming", "./testdata/naming/pinned", "./testdata/fields", "./testdata/results", "./testdata/away",
}

func TestOutputsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for _, p := range describe(t, fixtures...) {
		for name, source := range generate(t, p) {
			file := filepath.Join(dir, strings.ReplaceAll(p.Path, "/", "+")+"+"+name)
			if err := os.WriteFile(file, source, 0o600); err != nil {
				t.Fatal(err)
			}
			replace[filepath.Join(p.Dir, name)] = file
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	vet := exec.CommandContext(t.Context(), "go", append([]string{"vet", "-overlay", overlay}, fixtures...)...)
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", vet.Args, err, out)
	}
}

func generate(t *testing.T, p *model.Package) map[string][]byte {
	t.Helper()
	files, err := emit.Package(p)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestOutputsAreFormatted(t *testing.T) {
	for _, p := range describe(t, fixtures...) {
		for name, source := range generate(t, p) {
			formatted, err := format.Source(source)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(formatted), string(source)); diff != "" {
				t.Errorf("%s of %s (-gofmt +ours):\n%s", name, p.Path, diff)
			}
		}
	}
}
