package gen

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"golang.org/x/mod/modfile"
)

// modulePath is of this module.
const modulePath = "github.com/pinned-go/pinned"

// requirement is what a go.mod must say to get the pinned that this program was
// built from: a version, and the directory that stands in for it, "" without.
func requirement() (version, replace string, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	_, source, _, _ := runtime.Caller(0)
	return origin(info, source)
}

// origin decides by the build information, and by where this file lay when it was
// compiled.
func origin(info *debug.BuildInfo, source string) (version, replace string, err error) {
	m := info.Main
	if m.Path != modulePath {
		if i := slices.IndexFunc(info.Deps, func(d *debug.Module) bool { return d.Path == modulePath }); i >= 0 {
			m = *info.Deps[i]
		}
	}
	if m.Path == modulePath && m.Replace == nil && m.Sum != "" {
		return m.Version, "", nil // as the go command downloaded it
	}
	root := filepath.Dir(filepath.Dir(source))
	if mod, err := os.ReadFile(filepath.Join(root, "go.mod")); err == nil && modfile.ModulePath(mod) == modulePath {
		return "v0.0.0", root, nil
	}
	return "", "", errors.New("this pinnedgen is built neither from a published version nor in a checkout that is still there; " +
		"go run " + modulePath + "/cmd/pinnedgen@latest new does it")
}
