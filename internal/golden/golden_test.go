package golden

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/gen"
	"github.com/pinned-go/pinned/gen/diag"
)

var update = flag.Bool("update", false, "make what comes out what is expected")

// leastCases is what no change may fall below.
const leastCases = 100

func TestGoldens(t *testing.T) {
	good, bad := readCases(t)
	if n := len(good) + len(bad); n < leastCases {
		t.Errorf("%d cases ran, there are at least %d", n, leastCases)
	}
	t.Run("bad", func(t *testing.T) { refuse(t, bad) })
	t.Run("good", func(t *testing.T) { accept(t, good) })
}

// refuse generates bad cases, all in one run: each has its diagnostics.
func refuse(t *testing.T, cases []*testCase) {
	dir := newModule(t, cases)
	opts := options(dir, cases)
	opts.Env = append(opts.Env, "GOPROXY=off") // what a proxy answers for a module that isn't there is its own
	out, problems, err := gen.Generate(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Files) > 0 {
		t.Errorf("%s was generated beside problems", out.Files[0].Path)
	}
	byCase := map[string][]diag.Diagnostic{}
	for _, d := range problems {
		name, _, _ := strings.Cut(d.File, "/")
		byCase[name] = append(byCase[name], d)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			problems := byCase[c.name]
			delete(byCase, c.name)
			if len(problems) == 0 {
				t.Fatal("nothing was wrong with it")
			}
			c.hold(t, diagnosticsFile, c.describe(t, problems))
			c.settle(t)
		})
	}
	for name, ds := range byCase {
		t.Errorf("problems of no case, in %q: %v", name, ds)
	}
}

// describe writes diagnostics with the source that they point at.
func (c *testCase) describe(t *testing.T, ds []diag.Diagnostic) []byte {
	t.Helper()
	var b bytes.Buffer
	for i, d := range ds {
		if i > 0 {
			b.WriteByte('\n')
		}
		d.File = strings.TrimPrefix(d.File, c.name+"/")
		for j := range d.Related {
			d.Related[j].File = strings.TrimPrefix(d.Related[j].File, c.name+"/")
		}
		text, related, _ := strings.Cut(d.String(), "\n")
		fmt.Fprintln(&b, text)
		if source, ok := c.inputs[d.File]; ok && d.Line > 0 {
			lines := strings.Split(string(source), "\n")
			if d.Line > len(lines) || d.Col > len(lines[d.Line-1])+1 || d.EndCol > len(lines[d.Line-1])+1 {
				t.Fatalf("%v points outside of its file (until column %d)", d, d.EndCol)
			}
			line := strings.ReplaceAll(strings.TrimRight(lines[d.Line-1], "\r"), "\t", " ")
			fmt.Fprintf(&b, "\t| %s\n\t| %s%s\n", line, strings.Repeat(" ", d.Col-1), strings.Repeat("^", max(d.EndCol-d.Col, 1)))
		}
		if d.Fix != nil {
			fmt.Fprintf(&b, "\tfix: %s\n", *d.Fix)
		}
		if related != "" {
			fmt.Fprintln(&b, related)
		}
	}
	return b.Bytes()
}

// accept generates good cases, builds and vets them, and drives each.
func accept(t *testing.T, cases []*testCase) {
	dir := newModule(t, cases)
	out, problems, err := gen.Generate(t.Context(), options(dir, cases))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range problems {
		t.Error(d)
	}
	if len(problems) > 0 {
		return
	}
	byCase := map[string][]gen.File{}
	for _, f := range out.Files {
		name, _, _ := strings.Cut(relative(t, dir, f.Path), "/")
		byCase[name] = append(byCase[name], f)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if len(byCase[c.name]) == 0 {
				t.Fatal("nothing came out")
			}
			for _, f := range byCase[c.name] {
				c.hold(t, relative(t, filepath.Join(dir, c.name), f.Path), f.Content)
			}
		})
	}

	if _, err := out.Write(); err != nil {
		t.Fatal(err)
	}
	told := drive(t, dir, cases, byCase)
	for _, c := range cases {
		t.Run("drive "+c.name, func(t *testing.T) {
			if text, ok := told[c.name]; ok {
				c.hold(t, driveFile, text)
			}
			c.settle(t)
		})
	}
}

func options(dir string, cases []*testCase) gen.Options {
	return gen.Options{Dir: dir, Tags: tags, Patterns: patterns(cases), Env: environment()}
}

func relative(t *testing.T, dir, path string) string {
	t.Helper()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// drive builds and vets the module and runs its clients against its objects. It
// gives what they told, by case.
func drive(t *testing.T, dir string, cases []*testCase, files map[string][]gen.File) map[string][]byte {
	t.Helper()
	told := map[string][]byte{}
	source, driven := driver(t, dir, cases, files)
	write(t, filepath.Join(dir, "drive", "drive_test.go"), source)

	goCommand(t, dir, "build", patterns(cases)...)
	goCommand(t, dir, "vet", "./...")
	texts := t.TempDir()
	t.Setenv(textsVariable, texts)
	goCommand(t, dir, "test", "-count=1", "./drive")
	for _, name := range driven {
		text, err := os.ReadFile(filepath.Join(texts, name))
		if err != nil {
			t.Fatal(err)
		}
		told[name] = text
	}
	return told
}
