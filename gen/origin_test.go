package gen

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestOriginOfTheProgram(t *testing.T) {
	checkout := t.TempDir()
	source := filepath.Join(checkout, "gen", "origin.go")
	if err := os.WriteFile(filepath.Join(checkout, "go.mod"), []byte("module "+modulePath+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "gen", "origin.go")
	published := debug.Module{Path: modulePath, Version: "v1.2.3", Sum: "h1:abc="}

	for name, tc := range map[string]struct {
		info             debug.BuildInfo
		source           string
		version, replace string
		fails            bool
	}{
		"a published version": {
			info: debug.BuildInfo{Main: published}, source: source,
			version: "v1.2.3",
		},
		"a published version, linked into another program": {
			info:    debug.BuildInfo{Main: debug.Module{Path: "example.com/tool", Version: "(devel)"}, Deps: []*debug.Module{&published}},
			source:  elsewhere,
			version: "v1.2.3",
		},
		"a checkout": {
			info: debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, source: source,
			version: "v0.0.0", replace: checkout,
		},
		"a checkout, stamped by its version control": {
			info:    debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.2.4-0.20260101000000-abcdefabcdef+dirty"}},
			source:  source,
			version: "v0.0.0", replace: checkout,
		},
		"a tool of a module that replaces it by a checkout": {
			info: debug.BuildInfo{Main: debug.Module{
				Path: modulePath, Version: "v0.0.0", Replace: &debug.Module{Path: "../pinned", Version: "(devel)"},
			}},
			source:  source,
			version: "v0.0.0", replace: checkout,
		},
		"a fork": {
			info: debug.BuildInfo{Main: debug.Module{
				Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.2.5", Sum: "h1:def="},
			}},
			source:  source, // where the go command unpacked it
			version: "v0.0.0", replace: checkout,
		},
		"a checkout that is gone": {
			info: debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, source: elsewhere,
			fails: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			version, replace, err := origin(&tc.info, tc.source)
			if version != tc.version || replace != tc.replace || (err != nil) != tc.fails {
				t.Errorf("origin gives %q, %q, %v", version, replace, err)
			}
		})
	}
}
