package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/templates"
)

// NewOptions say what New makes.
type NewOptions struct {
	Dir    string   // Folder is relative to it; "" is the working directory
	Folder string   // of the new module
	Module string   // its path; "" is the folder's name
	Env    []string // of the go command; nil means the process's own
}

// New makes a module with a first object and its generated code, and returns the
// module's path. It requires the version of pinned that this program was built
// from; a program built in a checkout has the module use that checkout. On a
// failure nothing is left behind.
func New(ctx context.Context, o NewOptions) (path string, problems []diag.Diagnostic, err error) {
	dir, err := filepath.Abs(filepath.Join(o.Dir, o.Folder))
	if filepath.IsAbs(o.Folder) {
		dir, err = filepath.Clean(o.Folder), nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("new: %w", err)
	}
	data := templates.Data{Module: o.Module, Name: filepath.Base(dir)}
	if data.Module == "" {
		data.Module = data.Name
	}
	if err := module.CheckImportPath(data.Module); err != nil {
		return "", nil, fmt.Errorf("new %s: %w; -module gives it another path", o.Folder, err)
	}
	if data.Version, data.Replace, err = requirement(); err != nil {
		return "", nil, fmt.Errorf("new %s: %w", o.Folder, err)
	}
	files, err := templates.Files(data)
	if err != nil {
		return "", nil, fmt.Errorf("new %s: %w", o.Folder, err)
	}

	undo, err := claim(dir)
	if err != nil {
		return "", nil, fmt.Errorf("new %s: %w", o.Folder, err)
	}
	defer func() {
		if err != nil || len(problems) > 0 {
			undo()
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return "", nil, fmt.Errorf("new %s: %w", o.Folder, err)
		}
		if err := os.WriteFile(file, files[name], 0o666); err != nil {
			return "", nil, fmt.Errorf("new %s: %w", o.Folder, err)
		}
	}

	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	// A go.work above doesn't know the new module yet, and a vendor folder of
	// another isn't its own.
	env = append(slices.Clip(env), "GOWORK=off", "GOFLAGS="+withoutMod(env))
	if err := tidy(ctx, dir, env); err != nil {
		return "", nil, fmt.Errorf("new %s: %w", o.Folder, err)
	}
	out, problems, err := Generate(ctx, Options{Dir: dir, Patterns: []string{"./..."}, Env: env})
	if err != nil || len(problems) > 0 {
		return "", problems, err
	}
	if _, err := out.Write(); err != nil {
		return "", nil, fmt.Errorf("new %s: %w", o.Folder, err)
	}
	return data.Module, nil, nil
}

// claim makes dir, which may exist when it is empty, and says how to undo all
// that comes to lie in it.
func claim(dir string) (undo func(), err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		return func() { _ = os.RemoveAll(dir) }, nil
	case err != nil:
		return nil, err
	case len(entries) > 0:
		return nil, errors.New("the folder isn't empty")
	}
	return func() {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}, nil
}

// tidy completes go.mod and go.sum, which takes versions that only the go command
// can find out.
func tidy(ctx context.Context, dir string, env []string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go mod tidy: %w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// withoutMod is GOFLAGS without -mod, which would forbid go mod tidy.
func withoutMod(env []string) string {
	flags := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GOFLAGS="); ok {
			flags = v
		}
	}
	kept := slices.DeleteFunc(strings.Fields(flags), func(f string) bool {
		return strings.HasPrefix(strings.TrimLeft(f, "-"), "mod=")
	})
	return strings.Join(kept, " ")
}
