// Package modtest writes modules for tests of the generator. They require a small
// stand-in of the pinned module, so that nothing is downloaded and no test waits
// for a package that it doesn't look at.
package modtest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Path is that of the module that Write makes.
const Path = "example.com/m"

// Pinned is the folder of the stand-in.
func Pinned(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no source file known")
	}
	return filepath.Join(filepath.Dir(file), "testdata", "pinned")
}

// GoMod is the go.mod of a module that requires the stand-in.
func GoMod(t testing.TB, path string) string {
	return "module " + path + "\n\ngo 1.26.0\n\nrequire github.com/pinned-go/pinned v0.0.0\n\n" +
		"replace github.com/pinned-go/pinned => " + Pinned(t) + "\n"
}

// Write makes a module of the files of a txtar archive in a new folder, with a
// go.mod unless the archive has one, and returns the folder. GOMOD(path) at the
// start of a file is replaced by GoMod's text.
func Write(t testing.TB, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.mod": GoMod(t, Path)}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		text := string(f.Data)
		if path, ok := strings.CutPrefix(text, "GOMOD("); ok {
			path, rest, _ := strings.Cut(path, ")")
			text = GoMod(t, path) + rest
		}
		files[f.Name] = text
	}
	for name, text := range files {
		if text == "NONE\n" {
			continue
		}
		Put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

// Put writes one file and the folders on the way to it.
func Put(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
