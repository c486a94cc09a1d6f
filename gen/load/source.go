package load

import (
	"cmp"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/pinned-go/pinned/gen/directive"
)

// File is a hand-written file.
type File struct {
	Name string // absolute
	Src  []byte
	AST  *ast.File // without function bodies
	Test bool
}

// sources are the folders of a run: those that patterns name, those whose output
// hangs together with theirs, and those of the main modules that they import.
type sources struct {
	fset    *token.FileSet
	w       *workspace
	folders map[string]*folder // by directory
	named   map[string]bool
	roots   map[string]bool // folders whose types are needed
}

func newSources(w *workspace) *sources {
	return &sources{
		fset: token.NewFileSet(), w: w,
		folders: map[string]*folder{}, named: map[string]bool{}, roots: map[string]bool{},
	}
}

// read reads the folders that patterns name, two or more at a time.
func (s *sources) read(dirs []string) error {
	type outcome struct {
		f   *folder
		err error
	}
	out := make([]outcome, len(dirs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				out[i].f, out[i].err = s.open(dirs[i], false)
			}
		})
	}
	for i := range dirs {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, o := range out {
		if o.err != nil {
			return o.err
		}
		if o.f != nil {
			s.folders[dirs[i]], s.named[dirs[i]] = o.f, true
		}
	}
	return nil
}

// open reads a folder; nil where no main module has it.
func (s *sources) open(dir string, whole bool) (*folder, error) {
	m := s.w.owner(dir)
	if m == nil {
		return nil, nil
	}
	names, err := goFiles(dir)
	if err != nil && !missing(err) {
		return nil, err
	}
	return readFolder(s.fset, m, dir, names, whole)
}

// need reads a folder that no pattern names, once.
func (s *sources) need(dir string, whole bool) (*folder, error) {
	if f := s.folders[dir]; f != nil && (!whole || len(f.files) > 0) {
		return f, nil
	}
	had := s.folders[dir]
	f, err := s.open(dir, whole)
	if err != nil || f == nil {
		return nil, err
	}
	if had != nil {
		f.owners = had.owners
	}
	s.folders[dir] = f
	return f, nil
}

// complete adds what outputs depend on: where a client goes, whose client
// a folder has, and which packages of the main modules are imported, since
// their output may be missing as well.
func (s *sources) complete() error {
	for _, dir := range sortedKeys(s.folders) {
		f := s.folders[dir]
		if !f.annotated() && !f.output.ours {
			continue
		}
		if err := s.findOwners(f); err != nil {
			return err
		}
	}
	for _, dir := range sortedKeys(s.folders) {
		if s.folders[dir].annotated() {
			s.roots[dir] = true
		}
	}
	queue := sortedKeys(s.roots)
	seen := map[string]bool{}
	for len(queue) > 0 {
		dir := queue[0]
		queue = queue[1:]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		f, err := s.need(dir, false)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		if err := s.placeClients(f); err != nil {
			return err
		}
		queue = append(queue, f.clients()...)
		for _, importPath := range f.imported() {
			if next := s.w.folder(importPath); next != "" && !seen[next] {
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// placeClients tells the folders that get a client of f's objects.
func (s *sources) placeClients(f *folder) error {
	for _, dir := range f.clients() {
		client, err := s.need(dir, true)
		if err != nil {
			return err
		}
		if client == nil || client.module != f.module {
			continue // check says so: another module begins on the way
		}
		if !slices.Contains(client.owners, f) {
			client.owners = append(client.owners, f)
			slices.SortFunc(client.owners, func(a, b *folder) int { return cmp.Compare(a.path, b.path) })
		}
		if client.name == "" {
			client.name = guessName(client.path)
		}
		if s.roots[f.dir] {
			s.roots[dir] = true
		}
	}
	return nil
}

// findOwners looks above a folder with output for objects whose client goes there,
// so that naming the client's folder alone is enough.
func (s *sources) findOwners(f *folder) error {
	for dir := f.dir; dir != f.module.dir; {
		dir = filepath.Dir(dir)
		above, err := s.need(dir, false)
		if err != nil {
			return err
		}
		if above != nil && slices.Contains(above.clients(), f.dir) {
			s.roots[dir] = true
			if err := s.placeClients(above); err != nil {
				return err
			}
		}
	}
	return nil
}

// result lists what was read: the packages of the run, without types yet.
func (s *sources) result(dirs []string) *Result {
	res := &Result{Fset: s.fset, Trays: map[string][]string{}}
	byFolder := map[*folder]*Package{}
	for _, dir := range sortedKeys(s.folders) {
		f := s.folders[dir]
		if s.roots[dir] || s.named[dir] {
			res.Diagnostics = append(res.Diagnostics, f.diags...)
		}
		if !s.roots[dir] {
			for _, d := range f.directives {
				if d.Verb == "tray" {
					res.Trays[f.path] = append(res.Trays[f.path], d.Type.Name.Name)
				}
			}
			continue
		}
		p := &Package{
			Path: f.path, Name: f.name, Dir: f.dir, Module: f.module.path,
			Named: s.named[dir], Constraint: f.constraint, Directives: f.directives,
		}
		for _, file := range f.files {
			p.Files = append(p.Files, &File{Name: file.name, Src: file.src, AST: file.ast, Test: file.test})
		}
		if f.output.exists && !f.output.ours {
			res.Diagnostics = append(res.Diagnostics, outputTaken(f.output.file))
		}
		if !token.IsIdentifier(f.name) {
			res.Diagnostics = append(res.Diagnostics, s.clientName(f))
		}
		p.ImportedErrors = s.importedErrors(f)
		p.Tables = s.tables(f)
		byFolder[f] = p
		res.Packages = append(res.Packages, p)
	}
	for f, p := range byFolder {
		for _, owner := range f.owners {
			if o := byFolder[owner]; o != nil {
				p.ClientOf = append(p.ClientOf, o)
			}
		}
	}
	for _, dir := range dirs {
		f := s.folders[dir]
		if f == nil {
			continue
		}
		res.Listed = append(res.Listed, Listed{Path: f.path, Dir: f.dir, GoFiles: f.goFiles})
		if f.output.ours && !f.annotated() && len(f.owners) == 0 && !f.mentions() {
			res.Orphans = append(res.Orphans, f.output.file)
		}
	}
	res.Orphans = append(res.Orphans, s.leftClients()...)
	slices.Sort(res.Orphans)
	res.Orphans = slices.Compact(res.Orphans)
	return res
}

// importedErrors finds the errors of packages that f imports and that aren't roots.
func (s *sources) importedErrors(f *folder) []ImportedError {
	var out []ImportedError
	seen := map[string]bool{f.path: true}
	queue := f.imported()
	for len(queue) > 0 {
		importPath := queue[0]
		queue = queue[1:]
		if seen[importPath] {
			continue
		}
		seen[importPath] = true
		other := s.folders[s.w.folder(importPath)]
		if other == nil || s.roots[other.dir] {
			continue
		}
		for _, d := range other.directives {
			if d.Verb != "error" || d.Bad {
				continue
			}
			e := ImportedError{Path: importPath, Code: d.Arg("code").Text, Pos: s.fset.Position(d.Pos)}
			if d.Value != nil {
				e.Name = d.Value.Names[0].Name
			} else {
				e.Name = d.Type.Name.Name
			}
			out = append(out, e)
		}
		if other.annotated() {
			queue = append(queue, other.imported()...)
		}
	}
	return out
}

// tables says of the annotated packages that f imports and that aren't roots whether
// their error table holds anything.
func (s *sources) tables(f *folder) map[string]bool {
	out := map[string]bool{}
	for _, path := range f.imported() {
		if other := s.folders[s.w.folder(path)]; other != nil && !s.roots[other.dir] && other.generates() {
			out[path] = other.declaresError() || len(s.importedErrors(other)) > 0
		}
	}
	return out
}

func (f *folder) declaresError() bool {
	return slices.ContainsFunc(f.directives, func(d *directive.Directive) bool { return d.Verb == "error" })
}

// mentions says that something here may have been meant as a directive: its output
// isn't an orphan before that is clear.
func (f *folder) mentions() bool { return len(f.diags) > 0 }

// leftClients are outputs in folders below a named package that has an output, or
// had one, that no object asks for any more: client= was changed or taken away.
func (s *sources) leftClients() []string {
	var left []string
	for _, dir := range sortedKeys(s.named) {
		if f := s.folders[dir]; !f.annotated() && !f.output.ours {
			continue
		}
		for _, below := range s.outputsBelow(dir) {
			if s.roots[below] {
				continue
			}
			src, err := os.ReadFile(filepath.Join(below, Output))
			if err != nil || !IsOutput(src) {
				continue
			}
			client, err := s.open(below, true)
			if err != nil || client == nil || client.annotated() || client.mentions() {
				continue
			}
			if s.findOwners(client) == nil && len(client.owners) == 0 && !s.owned(below) {
				left = append(left, client.output.file)
			}
		}
	}
	return left
}

// outputsBelow are the folders below dir that have a file of the output's name. It
// stops at packages that are named: they are looked at for themselves.
func (s *sources) outputsBelow(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // nothing can be removed there
	}
	var found []string
	for _, e := range entries {
		below := filepath.Join(dir, e.Name())
		if !e.IsDir() || s.named[below] || s.w.passesOver(below) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(below, Output)); err == nil {
			found = append(found, below)
		}
		found = append(found, s.outputsBelow(below)...)
	}
	return found
}

// owned says whether any object that was read puts its client into dir.
func (s *sources) owned(dir string) bool {
	for _, f := range s.folders {
		if slices.Contains(f.clients(), dir) {
			return true
		}
	}
	return false
}

// clientDirective is the directive that puts a client into f.
func (f *folder) clientDirective() *directive.Directive {
	for _, owner := range f.owners {
		for _, d := range owner.directives {
			if o, ok := d.Option("client"); ok && filepath.Join(owner.dir, filepath.FromSlash(o.Value)) == f.dir {
				return d
			}
		}
	}
	return nil
}
