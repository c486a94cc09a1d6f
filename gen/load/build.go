package load

import (
	"bufio"
	"bytes"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// buildSettings decide which files take part in a build, as the go command does.
type buildSettings struct{ build.Context }

// newBuild reads the settings that matter from the environment and from what
// `go env -w` wrote.
func newBuild(cfg Config) *buildSettings {
	b := &buildSettings{build.Default}
	saved := savedEnv(cfg.Env)
	get := func(key string) string {
		if v := lookupEnv(cfg.Env, key); v != "" {
			return v
		}
		return saved[key]
	}
	if v := get("GOOS"); v != "" {
		b.GOOS = v
	}
	if v := get("GOARCH"); v != "" {
		b.GOARCH = v
	}
	if b.GOOS != build.Default.GOOS || b.GOARCH != build.Default.GOARCH {
		b.CgoEnabled = false
	}
	if v := get("CGO_ENABLED"); v != "" {
		b.CgoEnabled = v == "1"
	}
	tags := cfg.Tags
	if tags == "" {
		for flag := range strings.FieldsSeq(get("GOFLAGS")) {
			if v, ok := strings.CutPrefix(strings.TrimPrefix(flag, "-"), "-tags="); ok {
				tags = v
			} else if v, ok := strings.CutPrefix(flag, "-tags="); ok {
				tags = v
			}
		}
	}
	b.BuildTags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
	return b
}

// savedEnv is what `go env -w` wrote.
func savedEnv(env []string) map[string]string {
	file := lookupEnv(env, "GOENV")
	if file == "off" {
		return nil
	}
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil
		}
		file = filepath.Join(dir, "go", "env")
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil // there is none, mostly
	}
	out := map[string]string{}
	for sc := bufio.NewScanner(bytes.NewReader(src)); sc.Scan(); {
		if key, value, ok := strings.Cut(sc.Text(), "="); ok {
			out[key] = value
		}
	}
	return out
}

// takes says whether a file takes part. Without cgo, files that import "C" don't.
func (b *buildSettings) takes(f *file) bool {
	ctx := b.Context
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.src)), nil }
	ok, err := ctx.MatchFile(filepath.Dir(f.name), filepath.Base(f.name))
	if err != nil || !ok {
		return false
	}
	return b.CgoEnabled || !f.imports("C")
}

// matches says whether a build constraint holds.
func (b *buildSettings) matches(expr string) bool {
	if expr == "" {
		return true
	}
	ctx := b.Context
	ctx.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("//go:build " + expr + "\n\npackage p\n")), nil
	}
	ok, err := ctx.MatchFile("", Output)
	return err == nil && ok
}

func (f *file) imports(path string) bool {
	for _, spec := range f.ast.Imports {
		if importOf(spec) == path {
			return true
		}
	}
	return false
}
