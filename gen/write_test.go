package gen

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/gen/load"
)

const (
	oldText = load.Header + "\n\npackage p // old\n"
	newText = load.Header + "\n\npackage p // new\n"
)

func TestWriteMakesFilesAndTheirFolders(t *testing.T) {
	dir := t.TempDir()
	out := Output{Files: []File{
		{filepath.Join(dir, load.Output), []byte(newText)},
		{filepath.Join(dir, "deep", "api", load.Output), []byte(newText)},
	}}
	changed, err := out.Write()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{out.Files[0].Path, out.Files[1].Path}, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	want := map[string]string{load.Output: newText, "deep/api/" + load.Output: newText}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestWriteLeavesEqualFilesUntouched(t *testing.T) {
	for name, content := range map[string]string{
		"the same bytes":         newText,
		"with CRLF line ends":    strings.ReplaceAll(newText, "\n", "\r\n"),
		"with some of them CRLF": strings.Replace(newText, "\n", "\r\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), load.Output)
			put(t, path, content, 0o644)
			before := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			if err := os.Chtimes(path, before, before); err != nil {
				t.Fatal(err)
			}
			changed, err := Output{Files: []File{{path, []byte(newText)}}}.Write()
			if err != nil || len(changed) > 0 {
				t.Errorf("changed %v, %v", changed, err)
			}
			info, err := os.Stat(path)
			if err != nil || !info.ModTime().Equal(before) {
				t.Errorf("modified at %v, %v", info.ModTime(), err)
			}
		})
	}
}

func TestWriteKeepsTheModeOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), load.Output)
	put(t, path, oldText, 0o444)
	if _, err := (Output{Files: []File{{path, []byte(newText)}}}).Write(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o444 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWriteFollowsALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real", "file.txt"), filepath.Join(dir, load.Output)
	put(t, target, oldText, 0o644)
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err) // a system without links
	}
	if _, err := (Output{Files: []File{{link, []byte(newText)}}}).Write(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if got := tree(t, dir)["real/file.txt"]; got != newText {
		t.Errorf("it points at %q", got)
	}
}

func TestWriteNeverOverwritesAnAuthorsFile(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, load.Output), filepath.Join(dir, "a", load.Output)
	put(t, path, "package p // by hand\n", 0o644)
	put(t, other, oldText, 0o644)
	before := tree(t, dir)
	if _, err := (Output{Files: []File{{other, []byte(newText)}, {path, []byte(newText)}}}).Write(); err == nil {
		t.Error("no error")
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("tree (-before +after):\n%s", diff)
	}
}

func TestWriteRemovesOrphans(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, load.Output)
	put(t, path, oldText, 0o644)
	changed, err := Output{Orphans: []string{path}}.Write()
	if err != nil || len(changed) != 1 {
		t.Errorf("changed %v, %v", changed, err)
	}
	if got := tree(t, dir); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}

func TestAFailureLeavesEveryFileAsItWas(t *testing.T) {
	for _, step := range []string{"mkdir", "create", "write", "chmod", "close", "rename"} {
		for _, at := range []string{"first", "second", "third"} {
			t.Run(step+" of the "+at, func(t *testing.T) {
				dir := t.TempDir()
				out := Output{
					Files: []File{
						{filepath.Join(dir, "first", load.Output), []byte(newText)},
						{filepath.Join(dir, "second", load.Output), []byte(newText)},
						{filepath.Join(dir, "third", "api", load.Output), []byte(newText)},
					},
					Orphans: []string{filepath.Join(dir, "orphan", load.Output)},
				}
				put(t, out.Files[0].Path, oldText, 0o644)
				put(t, out.Files[1].Path, oldText, 0o644)
				put(t, out.Orphans[0], oldText, 0o644)
				before := tree(t, dir)

				failed := false
				w := &writer{fault: func(s, path string) error {
					if s == step && strings.HasPrefix(path, filepath.Join(dir, at)) {
						failed = true
						return errors.New("injected")
					}
					return nil
				}}
				_, err := w.write(out)
				if applies := (step != "mkdir" || at == "third") && (step != "chmod" || at != "third"); failed != applies {
					t.Fatalf("the step was reached: %v, it should be: %v", failed, applies)
				}
				if !failed {
					return
				}
				if err == nil {
					t.Error("no error")
				}
				// Those renamed before the one that failed are whole and new.
				want := map[string]string{}
				maps.Copy(want, before)
				if step == "rename" && at != "first" {
					want["first/"+load.Output] = newText
				}
				if step == "rename" && at == "third" {
					want["second/"+load.Output] = newText
				}
				if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
					t.Errorf("tree (-want +got):\n%s", diff)
				}
				if _, err := os.Stat(filepath.Join(dir, "third")); err == nil {
					t.Error("the new folder is still there")
				}
			})
		}
	}
}

func TestAFailedRemovalComesAfterAllWrites(t *testing.T) {
	dir := t.TempDir()
	file, orphan := filepath.Join(dir, "a", load.Output), filepath.Join(dir, "b", load.Output)
	put(t, orphan, oldText, 0o644)
	w := &writer{fault: func(step, _ string) error {
		if step == "remove" {
			return errors.New("injected")
		}
		return nil
	}}
	if _, err := w.write(Output{Files: []File{{file, []byte(newText)}}, Orphans: []string{orphan}}); err == nil {
		t.Error("no error")
	}
	want := map[string]string{"a/" + load.Output: newText, "b/" + load.Output: oldText}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func put(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// tree is every file below dir, by its path from there.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		files[relative(dir, path)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
