package golden

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/gen/load"
)

// root of the repository, and the cases in it.
var (
	root, _ = filepath.Abs("../..")
	folder  = filepath.Join(root, "testdata", "golden")
)

// The expectations beside generated files. A case whose name begins with bad_
// has the first one and no output, any other the second.
const (
	diagnosticsFile = "diagnostics.txt"
	driveFile       = "drive.txt"
	badPrefix       = "bad_"
)

// testCase is a folder of testdata/golden.
type testCase struct {
	name   string
	inputs map[string][]byte // by path in the folder, with slashes
	wants  map[string][]byte // likewise
	used   map[string]bool   // of wants, those that something was held against
}

// readCases reads every case; that there are some is part of the test.
func readCases(t *testing.T) (good, bad []*testCase) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			t.Errorf("%s is no case: a case is a folder", e.Name())
			continue
		}
		c := &testCase{name: e.Name(), inputs: map[string][]byte{}, wants: map[string][]byte{}, used: map[string]bool{}}
		c.read(t)
		if len(c.inputs) == 0 {
			t.Errorf("%s has no input", c.name)
		}
		if c.bad() {
			bad = append(bad, c)
		} else {
			good = append(good, c)
		}
	}
	return good, bad
}

func (c *testCase) bad() bool { return strings.HasPrefix(c.name, badPrefix) }

func (c *testCase) read(t *testing.T) {
	t.Helper()
	dir := filepath.Join(folder, c.name)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		into := c.inputs
		if name == diagnosticsFile || name == driveFile || d.Name() == load.Output && bytes.HasPrefix(content, []byte(load.Header)) {
			into = c.wants
		}
		into[name] = content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hold compares what came out with what is expected, or makes it what is
// expected when -update is set.
func (c *testCase) hold(t *testing.T, name string, got []byte) {
	t.Helper()
	c.used[name] = true
	want, ok := c.wants[name]
	switch {
	case ok && bytes.Equal(got, want):
	case *update:
		path := filepath.Join(folder, c.name, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	case !ok:
		t.Errorf("%s is not expected (-update makes it so):\n%s", name, got)
	default:
		t.Errorf("%s (-update makes it so):\n%s", name, unified(want, got))
	}
}

// settle finds expectations that nothing was held against.
func (c *testCase) settle(t *testing.T) {
	t.Helper()
	for name := range c.wants {
		if c.used[name] {
			continue
		}
		if !*update {
			t.Errorf("%s is expected, and nothing of that name came out (-update removes it)", name)
		} else if err := os.Remove(filepath.Join(folder, c.name, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}
