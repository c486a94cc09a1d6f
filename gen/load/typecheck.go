package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// typecheck loads the types of the run's packages, once for all.
//
// What stands in for each output is served as it is parsed, where the go command
// can make sense of the file on disk. Where it can't (missing, broken, without an
// import that is needed now) the file is overlaid, which costs: overlays make
// export data useless.
func typecheck(ctx context.Context, cfg Config, s *sources, res *Result) error {
	parse := &fileParser{stubs: map[string]string{}, files: map[string]*ast.File{}}
	overlay := map[string][]byte{}
	for _, dir := range slices.Sorted(maps.Keys(s.folders)) {
		f := s.folders[dir]
		for _, file := range f.files {
			if !file.broken {
				parse.files[file.name] = file.ast
			}
		}
		if !f.annotated() && len(f.owners) == 0 || f.output.exists && !f.output.ours || !token.IsIdentifier(f.name) {
			continue
		}
		text, imports := newStub(f)
		parse.stubs[f.output.file] = text
		if !f.output.serves(f, imports) {
			overlay[f.output.file] = []byte(text)
		}
	}
	var patterns []string
	for _, p := range res.Packages {
		patterns = append(patterns, p.Path)
	}
	slices.Sort(patterns)
	env := append(slices.Clip(cfg.Env), "GOPACKAGESDRIVER=off")
	packagesLoads++
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedModule,
		Context: ctx, Dir: cfg.Dir, Env: env, BuildFlags: buildFlags(cfg.Tags),
		Fset: s.fset, ParseFile: parse.file, Overlay: overlay,
	}, patterns...)
	if err != nil {
		return plain(err)
	}
	byPath := map[string]*packages.Package{}
	for _, p := range loaded {
		byPath[p.PkgPath] = p
	}
	for _, p := range res.Packages {
		l := byPath[p.Path]
		if l == nil {
			p.Failures = append(p.Failures, "the go command doesn't find it")
			continue
		}
		if l.Types != nil && len(l.Syntax) > 0 {
			p.Types = l.Types
			if p.Name == "" {
				p.Name = l.Name
			}
		}
		p.TypeErrors = l.TypeErrors
		for _, e := range l.Errors {
			if e.Kind == packages.TypeError || e.Kind == packages.ParseError || echo(e) {
				continue
			}
			p.Failures = append(p.Failures, e.Msg)
		}
	}
	return nil
}

func buildFlags(tags string) []string {
	if tags == "" {
		return nil
	}
	return []string{"-tags=" + tags}
}

// serves says whether a stub can take this output's place as it is parsed: the
// go command finds the file, in this package, with the stub's imports.
func (o *output) serves(f *folder, imports []string) bool {
	if !o.exists || !o.parses || o.name != f.name || o.build != f.constraint {
		return false
	}
	for _, path := range imports {
		if !o.imports[path] {
			return false
		}
	}
	return true
}

// echo says whether an error of the go command only repeats what it met while it
// compiled: faults of the old output, or of bodies.
func echo(e packages.Error) bool {
	return strings.HasPrefix(e.Msg, "# ") || strings.Contains(e.Msg, Output)
}

// plain cuts the go command's own error out of what go/packages wraps around it.
func plain(err error) error {
	text := err.Error()
	if _, after, ok := strings.Cut(text, "stderr: "); ok {
		text = after
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "go: ")
	if strings.Contains(text, "requires go >=") || strings.Contains(text, "requires go 1") {
		return fmt.Errorf("the go command is older than the module: %s", firstLine(text))
	}
	if text == "" {
		return err
	}
	return errors.New(text)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// fileParser parses for the type checker: hand-written files that were parsed before
// are given again, stubs replace outputs, and no body is kept.
type fileParser struct {
	stubs map[string]string
	files map[string]*ast.File
}

func (p *fileParser) file(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	name = filepath.Clean(name)
	if f := p.files[name]; f != nil {
		return f, nil
	}
	text, ok := p.stubs[name]
	if ok {
		src = []byte(text)
	}
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.AllErrors)
	if f != nil {
		stripBodies(f)
	}
	return f, err
}
