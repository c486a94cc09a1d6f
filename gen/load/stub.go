package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen/directive"
)

// The packages that generated code names.
const (
	pinnedPath  = "github.com/pinned-go/pinned"
	runtimePath = pinnedPath + "/runtime"
)

// stub declares what the output of a package will declare, from syntax alone:
// hand-written code that names generated symbols is checked against it, whatever
// the file on disk holds. Types of parameters are copied as they are written.
//
// What it gets wrong (an alias of context.Context, say) costs nothing: only the
// names of its types reach signatures, and errors inside it are dropped.
type stub struct {
	body    bytes.Buffer
	imports map[string]string // name to path
	unnamed map[string]bool   // paths imported under their packages' own names
	dots    map[string]bool
	target  *folder
}

// stubImports gives the names under which a stub imports what it always may need;
// no author has them.
var stubImports = map[string]string{
	"context_": "context", "iter_": "iter", "io_": "io", "http_": "net/http",
	"pinned_": pinnedPath, "runtime_": runtimePath,
}

// markStubs finds the outputs that hand-written code outside of bodies names
// something of: the stub of one is whole, and of any other the package clause will
// do, since nothing else could see the rest.
func markStubs(units []*unit) (whole bool) {
	for _, u := range units {
		names := identifiers(u.f)
		for _, dep := range append(slices.Collect(maps.Values(u.imports)), u) {
			if !dep.whole && dep.f.generates() {
				dep.whole = slices.ContainsFunc(dep.f.generated(), func(name string) bool { return names[name] })
			}
			whole = whole || dep.whole
		}
	}
	return whole
}

// addStub parses what stands in for u's output.
func (u *unit) addStub(fset *token.FileSet) error {
	if !u.f.generates() || !token.IsIdentifier(u.f.name) || u.f.output.exists && !u.f.output.ours {
		return nil
	}
	text := "package " + u.f.name + "\n"
	if u.whole {
		text = newStub(u.f)
	}
	file, err := parser.ParseFile(fset, u.f.output.file, text, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("the stub of %s doesn't parse: %w", u.f.path, err)
	}
	u.stub = file
	return nil
}

// identifiers are all that stand in a package's files outside of bodies and tests.
func identifiers(f *folder) map[string]bool {
	names := map[string]bool{}
	for _, file := range f.files {
		if file.test {
			continue
		}
		for _, decl := range file.ast.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					names[id.Name] = true
				}
				return true
			})
		}
	}
	return names
}

// generated are the names that f's output declares for others to see.
func (f *folder) generated() []string {
	var names []string
	for _, from := range append(slices.Clone(f.owners), f) {
		for _, o := range objectsOf(from) {
			if from == f {
				names = append(names, "Setup"+o.name)
			}
			if o.client == f.dir {
				names = append(names, o.name+"Ref", o.name+"Calls", "Fake"+o.name)
			}
		}
	}
	if len(names) > 0 {
		names = append(names, "Register", "Client", "NewClient", "InProcess", "From", "NewFake", "Fakes")
	}
	return append(append(names, f.durableNames()...), "PinnedErrors")
}

// newStub writes the stub of f's output.
func newStub(f *folder) string {
	s := &stub{imports: map[string]string{}, unnamed: map[string]bool{}, dots: map[string]bool{}, target: f}
	var objects []object
	for _, from := range append(slices.Clone(f.owners), f) {
		for _, o := range objectsOf(from) {
			if o.client == f.dir {
				objects = append(objects, o)
			}
			if from == f {
				s.printf("func Setup%s(func(*%s)) runtime_.RegisterOption\n", o.name, o.name)
			}
		}
	}
	if f.hasObject() {
		s.printf("func Register(*runtime_.Worker, ...runtime_.RegisterOption)\n")
	}
	s.printf("var PinnedErrors pinned_.Errors\n")
	if len(objects) > 0 {
		s.clients(objects)
	}
	s.durable(f)
	return s.text()
}

func (f *folder) hasObject() bool {
	return slices.ContainsFunc(f.directives, func(d *directive.Directive) bool { return d.Verb == "object" })
}

// object is one annotated struct, by syntax.
type object struct {
	name   string
	client string // absolute folder of its client
	routes []route
}

type route struct {
	method    string // HTTP
	wildcards []string
	decl      *ast.FuncDecl
	file      *file
}

func objectsOf(f *folder) []object {
	var objects []object
	for _, d := range f.directives {
		if d.Verb != "object" {
			continue
		}
		o := object{name: d.Type.Name.Name, client: f.dir}
		if c, ok := d.Option("client"); ok {
			o.client = filepath.Join(f.dir, filepath.FromSlash(c.Value))
		}
		seen := map[string]bool{}
		for _, r := range f.directives {
			if r.Verb != "route" || receiver(r.Func) != o.name || seen[r.Func.Name.Name] {
				continue
			}
			seen[r.Func.Name.Name] = true // its client method has the first of several
			o.routes = append(o.routes, route{
				method: r.Arg("method").Text, wildcards: wildcards(r.Arg("pattern").Text), decl: r.Func, file: f.fileOf(r),
			})
		}
		objects = append(objects, o)
	}
	return objects
}

// receiver is the name of a method's receiver type.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	t := ast.Unparen(fn.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// wildcards are the names in a pattern.
func wildcards(pattern string) []string {
	var names []string
	for seg := range strings.SplitSeq(pattern, "/") {
		if name, ok := strings.CutPrefix(seg, "{"); ok {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "}"), "...")
			if name != "" && name != "$" {
				names = append(names, name)
			}
		}
	}
	return names
}

func (s *stub) printf(format string, args ...any) { fmt.Fprintf(&s.body, format, args...) }

func (s *stub) clients(objects []object) {
	s.printf("type Client struct { pinned_.Target }\n")
	s.printf("func NewClient(string, ...pinned_.ClientOption) Client\n")
	s.printf("func InProcess(*runtime_.Worker) Client\n")
	s.printf("func From(pinned_.Hosted) Client\n")
	s.printf("func NewFake(Fakes) Client\n")
	s.printf("type Fakes struct {\n")
	for _, o := range objects {
		s.printf("%s func(id string) %sCalls\n", o.name, o.name)
	}
	s.printf("}\n")
	for _, o := range objects {
		s.printf("func (Client) %s(id string) %sCalls\n", o.name, o.name)
		s.printf("type %sRef struct { ref runtime_.Ref }\n", o.name)
		var calls, funcs bytes.Buffer
		for _, r := range o.routes {
			name, sig := r.decl.Name.Name, s.signature(r)
			fmt.Fprintf(&calls, "%s%s\n", name, sig)
			fmt.Fprintf(&funcs, "%sFunc func%s\n", name, sig)
			s.printf("func (%sRef) %s%s\n", o.name, name, sig)
			s.printf("func (*Fake%s) %s%s\n", o.name, name, sig)
		}
		s.printf("type %sCalls interface {\n%s}\n", o.name, &calls)
		s.printf("type Fake%s struct {\n%s}\n", o.name, &funcs)
	}
}

// signature is that of a route's client method.
func (s *stub) signature(r route) string {
	params := []string{"ctx context_.Context"}
	result := ""
	raw := false
	for _, field := range r.decl.Type.Params.List {
		if s.is(r.file, field.Type, "net/http", "ResponseWriter") {
			raw = true
		}
	}
	if raw {
		for i := range r.wildcards { // whose names may be keywords
			params = append(params, fmt.Sprintf("a%d string", i))
		}
		return "(" + strings.Join(append(params, "req *http_.Request"), ", ") + ") (*http_.Response, error)"
	}
	n := 0
	for i, field := range r.decl.Type.Params.List {
		t := field.Type
		switch {
		case i == 0 && s.is(r.file, t, "context", "Context"),
			s.is(r.file, t, "net/http", "Request"),
			s.is(r.file, t, pinnedPath, "Caller"):
			continue
		case s.is(r.file, t, pinnedPath, "Conn"):
			if args := indices(t); len(args) == 2 {
				result = fmt.Sprintf("(*pinned_.Conn[%s, %s], error)", s.expr(r.file, args[1]), s.expr(r.file, args[0]))
			}
			continue
		}
		for range max(1, len(field.Names)) {
			n++
			params = append(params, fmt.Sprintf("a%d %s", n, s.expr(r.file, t)))
		}
	}
	if result == "" {
		result = s.result(r)
	}
	return "(" + strings.Join(params, ", ") + ") " + result
}

func (s *stub) result(r route) string {
	var types []ast.Expr
	if r.decl.Type.Results != nil {
		for _, field := range r.decl.Type.Results.List {
			for range max(1, len(field.Names)) {
				types = append(types, field.Type)
			}
		}
	}
	if len(types) == 0 {
		return "error"
	}
	t := types[0]
	if id, ok := t.(*ast.Ident); ok && id.Name == "error" {
		return "error"
	}
	switch {
	case s.is(r.file, t, "iter", "Seq"), s.is(r.file, t, "iter", "Seq2"):
		if args := indices(t); len(args) > 0 {
			return fmt.Sprintf("iter_.Seq2[%s, error]", s.expr(r.file, args[0]))
		}
	case s.is(r.file, t, "io", "Reader"):
		return "(io_.ReadCloser, error)"
	}
	return fmt.Sprintf("(%s, error)", s.expr(r.file, t))
}

// text puts the stub together.
func (s *stub) text() string {
	body := s.body.String()
	for name, importPath := range stubImports {
		if strings.Contains(body, name+".") {
			s.imports[name] = importPath
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", s.target.name)
	for _, name := range sortedKeys(s.imports) {
		fmt.Fprintf(&b, "import %s %q\n", name, s.imports[name])
	}
	for _, importPath := range sortedKeys(s.unnamed) {
		fmt.Fprintf(&b, "import %q\n", importPath)
	}
	for _, importPath := range sortedKeys(s.dots) {
		fmt.Fprintf(&b, "import . %q\n", importPath)
	}
	b.WriteString(body)
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
