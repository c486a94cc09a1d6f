package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const modulePath = "github.com/pinned-go/pinned"

// lab has what contests share: the checkout, and what was built or installed
// for them. Everything that it makes lies in .cache/bench of the checkout.
type lab struct {
	root  string // of the checkout
	cache string
	pace  pace
	log   io.Writer // progress
	made  map[string]thing
}

// thing is what was made once in a run, or why it couldn't be.
type thing struct {
	path string
	err  error
}

// newLab finds the checkout that the working directory lies in.
func newLab(ctx context.Context, p pace, log io.Writer) (*lab, error) {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", explain(err))
	}
	module, root, _ := strings.Cut(strings.TrimSpace(string(dir)), " ")
	if module != modulePath {
		return nil, fmt.Errorf("find the module: run this inside a checkout of %s, not of %s", modulePath, module)
	}
	cache := filepath.Join(root, ".cache", "bench")
	if err := os.MkdirAll(filepath.Join(cache, "bin"), 0o750); err != nil {
		return nil, fmt.Errorf("make the cache: %w", err)
	}
	return &lab{root: root, cache: cache, pace: p, log: log, made: map[string]thing{}}, nil
}

// once makes a thing the first time that somebody asks for it in this run, and
// returns where it lies. What failed isn't tried again.
func (l *lab) once(what string, create func() (string, error)) (string, error) {
	made, tried := l.made[what]
	if tried && made.err != nil {
		return "", fmt.Errorf("%s couldn't be prepared, as said above", what)
	}
	if tried {
		return made.path, nil
	}
	_, _ = fmt.Fprintln(l.log, "bench: preparing", what)
	path, err := create()
	if err != nil {
		err = fmt.Errorf("prepare %s: %w", what, err)
	}
	l.made[what] = thing{path, err}
	return path, err
}

// build compiles a command of this module, or with a folder of a nested one, and
// returns the binary. Go's own cache makes the second time short.
func (l *lab) build(ctx context.Context, folder, pkg string) (string, error) {
	return l.once(filepath.Base(pkg), func() (string, error) {
		binary := filepath.Join(l.cache, "bin", filepath.Base(pkg))
		return binary, l.command(ctx, folder, "go", "build", "-o", binary, pkg)
	})
}

func (l *lab) buildOurs(ctx context.Context, pkg string) (string, error) {
	return l.build(ctx, l.root, modulePath+"/"+pkg)
}

// buildTests compiles the tests of a package of this module.
func (l *lab) buildTests(ctx context.Context, pkg string) (string, error) {
	return l.once("tests of "+pkg, func() (string, error) {
		binary := filepath.Join(l.cache, "bin", filepath.Base(pkg)+".test")
		return binary, l.command(ctx, l.root, "go", "test", "-c", "-o", binary, modulePath+"/"+pkg)
	})
}

func (l *lab) buildPeer(ctx context.Context, pkg string) (string, error) {
	return l.build(ctx, filepath.Join(l.root, "bench", "peers"), pkg)
}

// command runs a program in a folder.
func (l *lab) command(ctx context.Context, dir, name string, args ...string) error {
	_, err := l.output(ctx, dir, name, args...)
	return err
}

// output does so too and returns what the program said, which its error holds as
// well.
func (l *lab) output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(out))
	}
	return string(out), nil
}

// explain adds to the error of a command what it wrote.
func explain(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}

// stage is where one contest takes place: what is started for it ends with it.
type stage struct {
	*lab

	pace      pace
	closers   []func()
	postgres  string // the URL of its server, without a database; empty: there is none yet
	databases int
}

func (l *lab) stage(p pace) *stage { return &stage{lab: l, pace: p} }

// atEnd has f called at the end of the contest, last in first out.
func (s *stage) atEnd(f func()) { s.closers = append(s.closers, f) }

func (s *stage) close() {
	for len(s.closers) > 0 {
		last := len(s.closers) - 1
		s.closers[last]()
		s.closers = s.closers[:last]
	}
}
