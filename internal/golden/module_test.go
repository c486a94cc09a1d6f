package golden

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/mod/modfile"
)

// Cases become packages of one module. Its path lies below this repository's, so
// that they may import its internal packages.
const modulePath = "github.com/pinned-go/pinned/goldens"

// tags that all cases are generated, built and driven with.
const tags = "golden"

// newModule writes the inputs of cases into a module that takes this checkout in
// place of the repository, with the same dependencies.
func newModule(t testing.TB, cases []*testCase) string {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", source, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := mod.Module.Mod.Path
	for _, err := range []error{
		mod.AddModuleStmt(modulePath),
		mod.AddRequire(own, "v0.0.0"),
		mod.AddReplace(own, "", root, ""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	content, err := mod.Format()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), content)
	write(t, filepath.Join(dir, "go.sum"), sum)
	for _, c := range cases {
		for name, content := range c.inputs {
			write(t, filepath.Join(dir, c.name, filepath.FromSlash(name)), content)
		}
	}
	return dir
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// patterns name the packages of cases, all of them in one run.
func patterns(cases []*testCase) []string {
	var all []string
	for _, c := range cases {
		all = append(all, "./"+c.name+"/...")
	}
	return all
}

// environment lets the go command write to go.mod, which is a copy.
func environment() []string { return append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off") }

// goCommand runs the go command in dir. Without paths in them (-trimpath) the
// packages of the next run are found in the build cache, wherever they lie.
func goCommand(t testing.TB, dir, verb string, args ...string) {
	t.Helper()
	args = slices.Concat([]string{verb, "-trimpath", "-tags", tags}, args)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", verb, err, out)
	}
}

func unified(want, got []byte) []byte {
	return bytes.TrimSpace(diff.Diff("want", want, "got", got))
}
