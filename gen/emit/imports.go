package emit

import (
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
)

const (
	pinnedPath  = "github.com/pinned-go/pinned"
	runtimePath = "github.com/pinned-go/pinned/runtime"
)

// imports are the packages that an output names, and by which names. jennifer's
// own bookkeeping (Qual) isn't used: it guesses the name of a package from its
// path, and its aliases can be hidden by a parameter or meet a declaration.
type imports struct {
	self    string            // import path of the output
	module  string            // that holds it
	names   map[string]string // by path: the package's own name
	aliases map[string]string // by path: the name in the file; nil in a draft
}

func newImports(self, module string) *imports {
	return &imports{self: self, module: module, names: map[string]string{}}
}

// named gives each package that a draft has met its name in the file: its own,
// or with a number where reserved has that.
func (im *imports) named(reserved map[string]bool) *imports {
	final := &imports{self: im.self, module: im.module, names: im.names, aliases: map[string]string{}}
	taken := func(name string) bool { return reserved[name] || types.Universe.Lookup(name) != nil }
	paths := make([]string, 0, len(im.names))
	for p := range im.names {
		paths = append(paths, p)
	}
	// The standard library's and ours keep their names rather than others do.
	slices.SortFunc(paths, func(a, b string) int {
		if d := im.rank(a) - im.rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, p := range paths {
		alias := pick(taken, im.names[p])
		reserved[alias] = true
		final.aliases[p] = alias
	}
	return final
}

func (im *imports) rank(p string) int {
	switch {
	case im.standard(p):
		return 0
	case p == pinnedPath || p == runtimePath:
		return 1
	}
	return 2
}

// standard says whether a path is the standard library's: its first part has no
// dot. A module may be called without one too; the output's own is known.
func (im *imports) standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	own, _, _ := strings.Cut(im.module, "/")
	return !strings.Contains(first, ".") && first != own
}

// use gives the name of a package in the file, and "" for the file's own.
func (im *imports) use(p, name string) string {
	if p == im.self {
		return ""
	}
	if p == runtimePath {
		name = "pinned" + name // authors write "runtime" for Go's own
	}
	im.names[p] = name
	if alias, ok := im.aliases[p]; ok {
		return alias
	}
	return name
}

// taken are the names that the imports have in the file.
func (im *imports) taken() []string {
	var taken []string
	for _, alias := range im.aliases {
		taken = append(taken, alias)
	}
	return taken
}

// block is the import declaration: the standard library first.
func (im *imports) block() jen.Code {
	paths := make([]string, 0, len(im.aliases))
	for p := range im.aliases {
		paths = append(paths, p)
	}
	slices.Sort(paths)

	var std, other []jen.Code
	for _, p := range paths {
		spec := jen.Lit(p)
		if alias := im.aliases[p]; alias != assumedName(p) {
			spec = jen.Id(alias).Lit(p)
		}
		if im.standard(p) {
			std = append(std, spec)
		} else {
			other = append(other, spec)
		}
	}
	if len(std) > 0 && len(other) > 0 {
		std = append(std, jen.Line())
	}
	specs := slices.Concat(std, other)
	if len(specs) == 1 {
		return jen.Id("import").Add(specs...)
	}
	return jen.Id("import").Defs(specs...)
}

var major = regexp.MustCompile(`^v[0-9]+$`)

// assumedName is the package name that a reader takes a path for.
func assumedName(p string) string {
	base := path.Base(p)
	if major.MatchString(base) && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	return base
}

func (f *file) qualify(p *types.Package) string { return f.imports.use(p.Path(), p.Name()) }

// from names a member of another package, or of this one.
func (f *file) from(p, name, member string) *jen.Statement {
	if alias := f.imports.use(p, name); alias != "" {
		return jen.Id(alias).Dot(member)
	}
	return jen.Id(member)
}

func (f *file) runtime(member string) *jen.Statement { return f.from(runtimePath, "runtime", member) }
func (f *file) pinned(member string) *jen.Statement  { return f.from(pinnedPath, "pinned", member) }
func (f *file) context() *jen.Statement              { return f.from("context", "context", "Context") }

// reserved are the names that no import can have here: those at package scope,
// the parameters' of authors, and the locals of generated functions.
func (f *file) reserved() map[string]bool {
	reserved := map[string]bool{}
	for _, name := range ownLocals {
		reserved[name] = true
	}
	for name := range f.names.declared {
		reserved[name] = true
	}
	for _, name := range f.names.own {
		reserved[name] = true
	}
	for _, t := range f.pkg.Trays {
		for _, in := range t.Inboxes {
			for _, p := range in.Params {
				reserved[p.Name] = true
			}
		}
	}
	for _, o := range append(clients(f.pkg), f.pkg.Objects...) {
		for _, r := range o.Routes {
			for _, p := range r.Params {
				reserved[p.Name] = true
			}
			for _, s := range r.Segments {
				if s.Kind != 0 {
					reserved[s.Text] = true
				}
			}
			reserved[contextName(o, r)] = true
		}
	}
	return reserved
}

// ownLocals are the locals, parameters and receivers that generated functions
// like to have; imports give way to them.
var ownLocals = []string{
	"arg", "args", "base", "body", "c", "call", "conn", "ctx", "err", "f", "fake", "fakes", "i", "id", "index", "method",
	"object", "ok", "options", "out", "path", "r", "ref", "req", "seq", "v", "value", "w", "yield",
}
