package load

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
)

// module is a main module: one whose packages the go command builds from where
// they lie, and so one into which output can go.
type module struct {
	path, dir string
	goVersion string   // of the go line, "1.26.0"
	ignore    []string // folders that the go command passes over, relative, with slashes
}

// workspace are the main modules: that of a go.mod, or those of a go.work.
type workspace struct {
	modules []*module // deepest folder first
	file    string    // the go.work or go.mod
	version string    // of the go line of file

	inNested sync.Map // directory to whether another module holds it
}

// findWorkspace reads go.work or go.mod above dir, as the go command would.
func findWorkspace(dir string, env []string) (*workspace, error) {
	mod := upward(dir, "go.mod")
	work := lookupEnv(env, "GOWORK")
	switch work {
	case "":
		work = upward(dir, "go.work")
	case "off":
		work = ""
	}
	if work == "" {
		if mod == "" {
			return nil, fmt.Errorf("no go.mod in %s or a folder above it: pinnedgen works inside a module (go mod init)", dir)
		}
		m, err := readModule(filepath.Dir(mod))
		if err != nil {
			return nil, err
		}
		return &workspace{modules: []*module{m}, file: mod, version: m.goVersion}, nil
	}
	src, err := os.ReadFile(work)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseWork(work, src, nil)
	if err != nil {
		return nil, err
	}
	w := &workspace{file: work}
	if f.Go != nil {
		w.version = f.Go.Version
	}
	for _, use := range f.Use {
		folder := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(filepath.Dir(work), folder)
		}
		m, err := readModule(folder)
		if err != nil {
			return nil, err
		}
		w.modules = append(w.modules, m)
	}
	slices.SortFunc(w.modules, func(a, b *module) int { return len(b.dir) - len(a.dir) })
	return w, nil
}

func readModule(dir string) (*module, error) {
	file := filepath.Join(dir, "go.mod")
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseLax(file, src, nil)
	if err != nil {
		return nil, err
	}
	if f.Module == nil {
		return nil, fmt.Errorf("%s names no module", file)
	}
	m := &module{path: f.Module.Mod.Path, dir: dir}
	if f.Go != nil {
		m.goVersion = f.Go.Version
	}
	for _, ig := range f.Ignore {
		m.ignore = append(m.ignore, ig.Path)
	}
	return m, nil
}

// tooOld says in one sentence that this program can't read the modules, since it
// was built by an older Go than they ask for; nil where it can. go/types would
// refuse each file, with an error for each.
func (w *workspace) tooOld(built string) error {
	built, _, _ = strings.Cut(built, " ") // experiments follow
	needs := w.version
	for _, m := range w.modules {
		if version.Compare("go"+m.goVersion, "go"+needs) > 0 {
			needs = m.goVersion
		}
	}
	if needs == "" || !version.IsValid(built) || version.Compare(version.Lang("go"+needs), version.Lang(built)) <= 0 {
		return nil
	}
	return fmt.Errorf("pinnedgen was built with %s, but %s asks for go%s: build it with that (go tool pinnedgen does; go install for one of your own)",
		built, w.file, needs)
}

func builtWith() string { return runtime.Version() }

// owner is the main module that holds dir, nil where none does.
func (w *workspace) owner(dir string) *module {
	for _, m := range w.modules {
		if within(m.dir, dir) {
			if w.nested(m.dir, dir) {
				return nil
			}
			return m
		}
	}
	return nil
}

// nested says whether another module begins at dir or on the way to it from root.
func (w *workspace) nested(root, dir string) bool {
	if dir == root {
		return false
	}
	if known, ok := w.inNested.Load(dir); ok {
		return known == true
	}
	st, err := os.Stat(filepath.Join(dir, "go.mod"))
	is := err == nil && !st.IsDir() || w.nested(root, filepath.Dir(dir))
	w.inNested.Store(dir, is)
	return is
}

// importPath is what the package in dir is imported as.
func (m *module) importPath(dir string) string {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil || rel == "." {
		return m.path
	}
	return path.Join(m.path, filepath.ToSlash(rel))
}

// folder is the directory of an import path, "" where no main module has it.
func (w *workspace) folder(importPath string) string {
	best, at := "", -1
	for _, m := range w.modules {
		if rest, ok := strings.CutPrefix(importPath, m.path); ok && (rest == "" || rest[0] == '/') && len(m.path) > at {
			best, at = filepath.Join(m.dir, filepath.FromSlash(rest)), len(m.path)
		}
	}
	if best != "" && w.owner(best) == nil {
		return ""
	}
	return best
}

// ignores says whether the go command's patterns pass over dir.
func (m *module) ignores(dir string) bool {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	for _, ig := range m.ignore {
		if anchored, ok := strings.CutPrefix(ig, "./"); ok {
			if rel == anchored || strings.HasPrefix(rel, anchored+"/") {
				return true
			}
		} else if strings.Contains("/"+rel+"/", "/"+ig+"/") {
			return true
		}
	}
	return false
}

func upward(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func within(root, dir string) bool {
	return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

func lookupEnv(env []string, key string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = v // the last one counts
		}
	}
	return value
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
