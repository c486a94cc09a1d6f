package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// expand finds the folders that patterns name, sorted. What lies in a main module is
// found by walking it, which takes a tenth of the time of go list and gives the
// same; anything else (all, std, a dependency, "..." in the middle) go list is
// asked for.
func expand(ctx context.Context, cfg Config, w *workspace) ([]string, error) {
	patterns := cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	found := map[string]bool{}
	var foreign []string
	for _, p := range patterns {
		root, recursive := strings.CutSuffix(filepath.ToSlash(p), "/...")
		if p == "..." {
			foreign = append(foreign, p)
			continue
		}
		if root == "" { // "/..."
			root = "/"
		}
		dir := ""
		switch {
		case strings.Contains(root, "..."), strings.Contains(p, "@"):
		case filepath.IsAbs(p):
			dir = filepath.FromSlash(root)
		case root == "." || root == ".." || strings.HasPrefix(root, "./") || strings.HasPrefix(root, "../"):
			dir = filepath.Join(cfg.Dir, filepath.FromSlash(root))
		default:
			dir = w.folder(root)
		}
		if dir == "" {
			foreign = append(foreign, p)
			continue
		}
		dir = filepath.Clean(dir)
		if recursive {
			if err := walk(w, dir, found); err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			continue
		}
		names, err := goFiles(dir)
		switch {
		case missing(err):
			return nil, fmt.Errorf("%s: there is no folder %s", p, dir)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", p, err)
		case len(names) == 0:
			return nil, fmt.Errorf("%s: no Go files in %s", p, dir)
		case w.owner(dir) == nil:
			return nil, fmt.Errorf("%s: %s is in none of the modules of %s", p, dir, w.file)
		}
		found[dir] = true
	}
	if len(foreign) > 0 {
		if err := list(ctx, cfg, w, foreign, found); err != nil {
			return nil, err
		}
	}
	dirs := make([]string, 0, len(found))
	for dir := range found {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return dirs, nil
}

// vendors says whether dir holds the vendored packages of a module or a workspace.
func (w *workspace) vendors(dir string) bool {
	if filepath.Base(dir) != "vendor" {
		return false
	}
	parent := filepath.Dir(dir)
	return parent == filepath.Dir(w.file) || slices.ContainsFunc(w.modules, func(m *module) bool { return m.dir == parent })
}

// walk adds the folders at and below root that have Go files. It passes over what
// the go command does: names that begin with . or _, testdata, vendor, other
// modules, and what go.mod ignores.
func walk(w *workspace, root string, found map[string]bool) error {
	if _, err := os.Stat(root); err != nil {
		return err
	}
	return filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			if strings.HasSuffix(d.Name(), ".go") && takes(d.Name()) && d.Type().IsRegular() {
				if parent := filepath.Dir(dir); !found[parent] && w.owner(parent) != nil {
					found[parent] = true
				}
			}
			return nil
		}
		if dir != root && w.passesOver(dir) {
			return filepath.SkipDir
		}
		return nil
	})
}

// passesOver says whether the go command's patterns leave dir out where they come
// upon it below another.
func (w *workspace) passesOver(dir string) bool {
	if name := filepath.Base(dir); !takes(name) || name == "testdata" || w.vendors(dir) {
		return true
	}
	if st, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !st.IsDir() {
		return true
	}
	m := w.owner(dir)
	return m != nil && m.ignores(dir)
}

// takes says whether the go command looks at a file or folder of that name at all.
func takes(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// goFiles are the names of a folder's Go files, sorted.
func goFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && takes(name) && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names, nil
}

// list asks the go command for the folders of patterns.
func list(ctx context.Context, cfg Config, w *workspace, patterns []string, found map[string]bool) error {
	args := append([]string{"list", "-e", "-find", "-json=Dir,ImportPath,Error", "-tags=" + cfg.Tags, "--"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = cfg.Dir, cfg.Env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return errors.New(text)
		}
		return fmt.Errorf("go list: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir, ImportPath string
			Error           *struct{ Err string }
		}
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("go list: %w", err)
		}
		switch {
		case p.Dir != "" && w.owner(p.Dir) != nil:
			found[p.Dir] = true
		case p.Dir != "" && slices.Contains(patterns, p.ImportPath):
			// A pattern such as all names packages elsewhere by the way; this one does not.
			return fmt.Errorf("%s: %s is in none of the modules of %s", p.ImportPath, p.Dir, w.file)
		case p.Dir != "":
		case p.Error != nil:
			return errors.New(strings.TrimSpace(p.Error.Err))
		}
	}
}
