package load

import (
	"errors"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/directive"
)

// folder is a package as its files have it, before any types.
type folder struct {
	dir, path, name string
	module          *module
	goFiles         []string

	files      []*file
	directives []*directive.Directive // of files that aren't tests
	diags      []diag.Diagnostic
	constraint string // that the annotated files share

	output output
	owners []*folder // with an object whose client goes here

	imports []string // found by imported
}

// file is a parsed hand-written file.
type file struct {
	name       string // absolute
	test       bool
	src        []byte
	ast        *ast.File
	constraint string // its //go:build expression
}

// annotated says whether this package has an output of its own.
func (f *folder) annotated() bool { return len(f.directives) > 0 }

// generates says whether this package has an output, its own or one with clients
// of others.
func (f *folder) generates() bool { return f.annotated() || len(f.owners) > 0 }

// readFolder reads a package's files, and parses them where one may hold a directive,
// or always when whole is set.
func readFolder(fset *token.FileSet, m *module, dir string, names []string, whole bool) (*folder, error) {
	f := &folder{dir: dir, path: m.importPath(dir), module: m, goFiles: names}
	f.output.file = filepath.Join(dir, Output)
	var sources [][]byte
	var hand []string
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			if missing(err) { // a dangling link, or gone since the listing
				continue
			}
			return nil, err
		}
		if name == Output {
			f.output.read(src)
			if f.output.ours {
				continue
			}
		}
		whole = whole || directive.Mentions(src)
		hand, sources = append(hand, name), append(sources, src)
	}
	if !whole {
		return f, nil
	}
	for i, name := range hand {
		f.parse(fset, name, sources[i])
	}
	f.settle(fset)
	return f, nil
}

// parse adds a hand-written file. Bodies go once the comments in them were seen: no
// signature depends on one, and their faults are no business of ours.
func (f *folder) parse(fset *token.FileSet, name string, src []byte) {
	file := &file{name: filepath.Join(f.dir, name), src: src, test: strings.HasSuffix(name, "_test.go")}
	parsed, err := parser.ParseFile(fset, file.name, src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	file.ast = parsed
	if err != nil {
		var list scanner.ErrorList
		if !errors.As(err, &list) {
			list = scanner.ErrorList{{Pos: token.Position{Filename: file.name}, Msg: err.Error()}}
		}
		list.RemoveMultiples()
		for _, e := range list {
			f.diags = append(f.diags, syntaxError(e))
		}
	}
	if parsed == nil {
		return
	}
	found, diags := directive.Scan(fset, parsed)
	f.diags = append(f.diags, diags...)
	file.constraint = buildConstraint(parsed)
	if len(found) > 0 {
		f.directives = append(f.directives, found...)
		if fset != nil && suffixed(file.name) {
			f.diags = append(f.diags, fileSuffix(fset.Position(found[0].Pos), filepath.Base(file.name)))
		}
	}
	stripBodies(parsed)
	f.files = append(f.files, file)
}

func stripBodies(f *ast.File) {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}

// settle decides what the files of a package agree on.
func (f *folder) settle(fset *token.FileSet) {
	var first *directive.Directive
	for _, d := range f.directives {
		file := f.fileOf(d)
		if first == nil {
			first, f.constraint, f.name = d, file.constraint, d.File.Name.Name
			continue
		}
		if file.constraint != f.constraint {
			f.diags = append(f.diags, constraintsDiffer(fset.Position(d.Pos), file.constraint).
				With(fset.Position(first.Pos), "%s", constraintText(f.constraint)))
			break
		}
	}
	for _, file := range f.files {
		if f.name == "" && !file.test {
			f.name = file.ast.Name.Name
		}
	}
}

func (f *folder) fileOf(d *directive.Directive) *file {
	for _, file := range f.files {
		if file.ast == d.File {
			return file
		}
	}
	return nil
}

// imported are the paths that the package's files import, tests apart.
func (f *folder) imported() []string {
	if f.imports == nil {
		f.imports = f.findImports()
	}
	return f.imports
}

func (f *folder) findImports() []string {
	paths := map[string]bool{}
	add := func(file *ast.File) {
		for _, spec := range file.Imports {
			paths[importOf(spec)] = true
		}
	}
	if f.files != nil {
		for _, file := range f.files {
			if !file.test {
				add(file.ast)
			}
		}
		return sortedKeys(paths)
	}
	for _, name := range f.goFiles {
		if strings.HasSuffix(name, "_test.go") || name == Output && f.output.ours {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), filepath.Join(f.dir, name), nil, parser.ImportsOnly|parser.SkipObjectResolution)
		if file != nil { // of a broken one, what could be read
			add(file)
		}
	}
	return sortedKeys(paths)
}

// clients are the folders (absolute) that the objects here name by client=.
func (f *folder) clients() []string {
	var dirs []string
	for _, o := range objectsOf(f) {
		if o.client != f.dir && !slices.Contains(dirs, o.client) {
			dirs = append(dirs, o.client)
		}
	}
	return dirs
}

func importOf(spec *ast.ImportSpec) string {
	return strings.Trim(spec.Path.Value, "\"`")
}

// buildConstraint is the expression of a file's //go:build line, "" without.
func buildConstraint(f *ast.File) string {
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				return expr.String()
			}
		}
	}
	return ""
}

// suffixed says whether a file's name alone keeps it out of some builds, as
// room_linux.go does. A system and an architecture that don't exist see the rest.
func suffixed(file string) bool {
	ctx := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("package p\n")), nil
		},
	}
	ok, err := ctx.MatchFile(filepath.Dir(file), filepath.Base(file))
	return err == nil && !ok
}
