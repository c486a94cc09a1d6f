package pinned_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/pinned-go/pinned"

// layers are the folders of the repository in the order of its arrows: a package may import what stands in a later row,
// and what lies in its own folder. Folders of one row never import each other.
var layers = [][]string{
	{"cmd"},
	{"gen", "pinboard", "runtime"},
	{"pinned"}, // the root
	{"durability"},
	{"internal"},
}

// drivers are imported in a store's own package only, so that a program that only calls links none.
var drivers = []driver{
	{"zombiezen.com/go/sqlite", "durability/sqlite"},
	{"github.com/jackc/pgx", "durability/postgres"},
	{"github.com/redis/go-redis", "pinboard/store/redis"},
}

type driver struct{ module, folder string }

// outermost folders may import everything, and no package that users link imports them.
var outermost = []string{"pinnedtest", "examples", "bench"}

// forTests may import everything too; only tests, pinnedtest and bench import them.
var forTests = []string{"durability/storetest", "internal/sim", "internal/chaos", "internal/sample", "internal/golden", "internal/routes", "internal/testdb", "internal/peer"}

// importEdge is one import. Packages of this module are written from its root, which is "pinned" itself.
type importEdge struct {
	from, to string
	test     bool // in a _test.go file
}

func TestPackagesImportAlongTheArrows(t *testing.T) {
	edges := readImports(t)
	if len(edges) == 0 {
		t.Fatal("no package imports another")
	}
	for _, edge := range edges {
		if why := crosses(edge); why != "" {
			t.Errorf("%s imports %s: %s", edge.from, edge.to, why)
		}
	}
}

func TestArrowsRefuse(t *testing.T) {
	for name, tc := range map[string]struct {
		edge    importEdge
		allowed bool
	}{
		"a command imports the generator":         {importEdge{from: "cmd/pinnedgen", to: "gen"}, true},
		"a command imports another":               {importEdge{from: "cmd/pinboard", to: "cmd/pinnedgen"}, false},
		"the worker imports what authors import":  {importEdge{from: "runtime", to: "pinned"}, true},
		"what authors import imports the worker":  {importEdge{from: "pinned", to: "runtime"}, false},
		"the worker imports a package of its own": {importEdge{from: "runtime/lease", to: "runtime"}, true},
		"the worker imports the pinboard":         {importEdge{from: "runtime", to: "pinboard"}, false},
		"the pinboard imports the worker":         {importEdge{from: "pinboard/store", to: "runtime"}, false},
		"the generator imports the worker":        {importEdge{from: "gen/emit", to: "runtime"}, false},
		"the generator imports the templates":     {importEdge{from: "gen/emit", to: "templates"}, true},
		"the generator's command does so too":     {importEdge{from: "cmd/pinnedgen", to: "templates"}, true},
		"the worker imports the templates":        {importEdge{from: "runtime", to: "templates"}, false},
		"the templates import the generator":      {importEdge{from: "templates", to: "gen"}, false},
		"durability imports what authors import":  {importEdge{from: "durability", to: "pinned"}, false},
		"an internal package imports durability":  {importEdge{from: "internal/wire", to: "durability"}, false},
		"everything imports internal packages":    {importEdge{from: "pinned", to: "internal/clock"}, true},
		"the worker imports the simulator":        {importEdge{from: "runtime", to: "internal/sim"}, false},
		"a test imports the simulator":            {importEdge{from: "runtime", to: "internal/sim", test: true}, true},
		"the chaos driver imports the history":    {importEdge{from: "internal/chaos", to: "internal/sim/history"}, true},
		"the authors' test package does so too":   {importEdge{from: "pinnedtest", to: "internal/sim"}, true},
		"the simulator imports the worker":        {importEdge{from: "internal/sim", to: "runtime"}, true},
		"an example imports the simulator":        {importEdge{from: "examples/rooms", to: "internal/sim"}, false},
		"the worker imports the test package":     {importEdge{from: "runtime", to: "pinnedtest"}, false},
		"a test imports the test package":         {importEdge{from: "gen", to: "pinnedtest", test: true}, true},
		"a test imports an example":               {importEdge{from: "runtime", to: "examples/rooms/rooms", test: true}, false},
		"an example imports its own package":      {importEdge{from: "examples/rooms", to: "examples/rooms/rooms"}, true},
		"an example imports another":              {importEdge{from: "examples/rooms", to: "examples/counter/counter"}, false},
		"a benchmark imports the worker":          {importEdge{from: "bench", to: "runtime"}, true},
		"a store imports its driver":              {importEdge{from: "durability/postgres", to: "github.com/jackc/pgx/v5"}, true},
		"the worker imports a driver":             {importEdge{from: "runtime", to: "github.com/jackc/pgx/v5"}, false},
		"a folder that no layer names":            {importEdge{from: "util", to: "pinned"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if why := crosses(tc.edge); (why == "") != tc.allowed {
				t.Errorf("%+v: allowed should be %v, and the reason against it is %q", tc.edge, tc.allowed, why)
			}
		})
	}
}

// crosses says which arrow an import goes against, or nothing.
func crosses(edge importEdge) string {
	for _, driver := range drivers {
		if strings.HasPrefix(edge.to, driver.module) {
			if edge.from == driver.folder || edge.test || within(edge.from, "bench") || edge.from == "internal/testdb" {
				return ""
			}
			return "only " + driver.folder + " imports that driver"
		}
	}

	from, to := part(edge.from), part(edge.to)
	switch {
	case !known(from) || !known(to):
		return "the architecture has no such folder"
	case from == to:
		return ""
	case within(to, "examples") || to == "bench":
		return "nothing imports it"
	case edge.test:
		return ""
	case slices.Contains(forTests, to):
		if from == "pinnedtest" || from == "bench" || slices.Contains(forTests, from) {
			return ""
		}
		return "only tests, pinnedtest and bench import it"
	case slices.Contains(outermost, folder(from)) || slices.Contains(forTests, from):
		return ""
	case to == "pinnedtest":
		return "only tests, examples and bench import it"
	case from == "templates":
		return "templates imports nothing"
	case to == "templates":
		if from == "gen" || from == "cmd/pinnedgen" {
			return ""
		}
		return "only gen and cmd/pinnedgen import it"
	case layer(from) >= layer(to):
		return folder(from) + " doesn't stand to the left of " + folder(to)
	}
	return ""
}

// part is the unit whose packages may import each other: a folder of the root, but each command, each example and each
// of the packages for tests alone.
func part(pkg string) string {
	for _, name := range forTests {
		if within(pkg, name) {
			return name
		}
	}
	segments := strings.Split(pkg, "/")
	if (segments[0] == "cmd" || segments[0] == "examples") && len(segments) > 1 {
		return segments[0] + "/" + segments[1]
	}
	return segments[0]
}

func known(part string) bool {
	return layer(part) >= 0 || slices.Contains(outermost, folder(part)) || part == "templates"
}

func folder(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

func within(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

func layer(part string) int {
	return slices.IndexFunc(layers, func(row []string) bool { return slices.Contains(row, folder(part)) })
}

// readImports lists the imports that the packages of the module, tests included, have of each other and of drivers. It reads
// the files itself, whatever their build tags: what a go command under it read would not count for the test's cache.
func readImports(t *testing.T) []importEdge {
	t.Helper()
	var edges []importEdge
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if strings.HasSuffix(path, ".go") {
				edges = append(edges, importsOf(t, path)...)
			}
			return nil
		case path == ".":
			return nil
		case entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
			return filepath.SkipDir // another module
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return edges
}

func importsOf(t *testing.T, path string) []importEdge {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.ToSlash(filepath.Dir(path))
	if from == "." {
		from = "pinned"
	}
	var edges []importEdge
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s imports %s: %v", path, spec.Path.Value, err)
		}
		if to, ours := local(importPath); ours || isDriver(to) {
			edges = append(edges, importEdge{from: from, to: to, test: strings.HasSuffix(path, "_test.go")})
		}
	}
	return edges
}

// local writes an import path of this module from its root, and says whether it is one.
func local(importPath string) (string, bool) {
	if importPath == modulePath {
		return "pinned", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

func isDriver(importPath string) bool {
	return slices.ContainsFunc(drivers, func(d driver) bool { return strings.HasPrefix(importPath, d.module) })
}
