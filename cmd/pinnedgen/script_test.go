package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"
)

var update = flag.Bool("update", false, "make what scripts compare with what comes out")

// The test binary is pinnedgen when it is called so, which scripts do.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pinnedgen": main})
}

// TestScripts drives the command as a user does, in modules of its own.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	caches, err := goEnv("GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, caches...)
			// The go command may complete go.mod: the modules are made by mod, below.
			env.Vars = append(env.Vars, "ROOT="+root, "GOFLAGS=-mod=mod", "GOWORK=")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mod":   func(ts *testscript.TestScript, _ bool, args []string) { mod(ts, root, args) },
			"exits": exits,
			"age":   age,
			"aged":  aged,
		},
	})
}

// mod makes a module in a folder that takes pinned from this checkout, with
// pinnedgen as its tool: mod FOLDER PATH.
func mod(ts *testscript.TestScript, root string, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: mod FOLDER PATH")
	}
	source, err := os.ReadFile(filepath.Join(root, "go.mod"))
	ts.Check(err)
	file, err := modfile.Parse("go.mod", source, nil)
	ts.Check(err)
	own := file.Module.Mod.Path
	ts.Check(file.AddModuleStmt(args[1]))
	ts.Check(file.AddRequire(own, "v0.0.0"))
	ts.Check(file.AddReplace(own, "", root, ""))
	ts.Check(file.AddTool(own + "/cmd/pinnedgen"))
	content, err := file.Format()
	ts.Check(err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(os.WriteFile(filepath.Join(dir, "go.mod"), content, 0o666))
	ts.Check(os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666))
}

// exits runs a command that must end with a code: exits CODE COMMAND...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = failed.ExitCode()
	}
	if code != want {
		ts.Fatalf("%s exits %d, not %d", strings.Join(args[1:], " "), code, want)
	}
}

var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// age makes a file look old: age FILE.
func age(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		ts.Check(os.Chtimes(ts.MkAbs(name), longAgo, longAgo))
	}
}

// aged checks that nothing was written to a file since age: aged FILE.
func aged(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if info.ModTime().Equal(longAgo) == neg {
			ts.Fatalf("%s was modified at %v", name, info.ModTime())
		}
	}
}

// goEnv are variables of the go command, for an environment without a home.
func goEnv(names ...string) ([]string, error) {
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var vars []string
	for i, value := range strings.Split(strings.TrimRight(string(out), "\n"), "\n") {
		vars = append(vars, names[i]+"="+strings.TrimRight(value, "\r"))
	}
	return vars, nil
}
