package load

import (
	"fmt"
	"go/ast"
	"iter"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen/directive"
	"github.com/pinned-go/pinned/gen/internal/casing"
)

// What a stub declares of durable state: methods of tray types and objects, and the
// functions of tray types.

// durableNames are the names of f's output that are about durable state.
func (f *folder) durableNames() []string {
	var names []string
	for _, d := range f.directives {
		switch d.Verb {
		case "tray":
			names = append(names, d.Type.Name.Name+"Tray", migrateName(d.Type.Name.Name))
		case "inbox":
			names = append(names, d.Arg("name").Text, d.Arg("name").Text+"As")
		case "alarm":
			names = append(names, scheduleName(d))
		}
	}
	return names
}

func migrateName(tray string) string { return "Migrate" + casing.First(tray) }

func scheduleName(d *directive.Directive) string {
	return "Schedule" + casing.Upper(d.Arg("name").Text)
}

// durable declares what is generated of f's own tray types and alarms. What a faulty
// directive would declare is left out.
func (s *stub) durable(f *folder) {
	declared := map[string]bool{}
	once := func(receiver, name string) bool {
		key := receiver + "." + name
		if had := declared[key]; had || name == "" {
			return false
		}
		declared[key] = true
		return true
	}
	for _, d := range f.directives {
		if d.Bad {
			continue
		}
		switch d.Verb {
		case "tray":
			name := d.Type.Name.Name
			if !once("", name) || d.Type.TypeParams != nil {
				continue
			}
			if item := s.item(f, name, map[string]bool{}); item != "" {
				s.printf("func %sTray() runtime_.TrayClass[%[1]s, %s]\n", name, item)
			}
			s.printf("func %s(int, runtime_.Migration) runtime_.RegisterOption\n", migrateName(name))
		case "inbox":
			on, name := receiver(d.Func), d.Arg("name").Text
			if f.annotates(on, "tray") && once(on, name) && once(on, name+"As") {
				params := s.params(f.fileOf(d), d.Func.Type.Params.List)
				s.printf("func (*%s) %s(%s) pinned_.Receipt\n", on, name, strings.Join(params, ", "))
				s.printf("func (*%s) %sAs(%s) pinned_.Admission\n", on, name, strings.Join(append([]string{"key string"}, params...), ", "))
			}
		case "alarm":
			on, name := receiver(d.Func), scheduleName(d)
			if f.annotates(on, "object") && once(on, name) {
				s.printf("func (*%s) %s(%s) pinned_.Receipt\n", on, name, strings.Join(s.alarmParams(f.fileOf(d), d.Func), ", "))
			}
		}
	}
}

// annotates says whether a type of f has the directive.
func (f *folder) annotates(name, verb string) bool {
	return slices.ContainsFunc(f.directives, func(d *directive.Directive) bool {
		return d.Verb == verb && d.Type.Name.Name == name
	})
}

// item is the T of Items() iter.Seq[T] as it is written, on the tray type or on a struct
// of the package that it embeds; "" where it isn't.
func (s *stub) item(f *folder, tray string, seen map[string]bool) string {
	if seen[tray] {
		return "" // it embeds itself
	}
	seen[tray] = true
	var embedded []string
	for file, decl := range f.declarations() {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.Name != "Items" || receiver(decl) != tray || decl.Type.Results.NumFields() != 1 {
				continue
			}
			result := decl.Type.Results.List[0].Type
			if args := indices(result); len(args) == 1 && s.is(file, result, "iter", "Seq") {
				return s.expr(file, args[0])
			}
		case *ast.GenDecl:
			embedded = append(embedded, embeds(decl, tray)...)
		}
	}
	for _, name := range embedded {
		if item := s.item(f, name, seen); item != "" {
			return item
		}
	}
	return ""
}

// declarations are those of the package's files, tests apart.
func (f *folder) declarations() iter.Seq2[*file, ast.Decl] {
	return func(yield func(*file, ast.Decl) bool) {
		for _, file := range f.files {
			for _, decl := range file.ast.Decls {
				if !file.test && !yield(file, decl) {
					return
				}
			}
		}
	}
}

// embeds are the structs that a struct embeds by value and that are named without a
// package.
func embeds(decl *ast.GenDecl, name string) []string {
	var found []string
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			continue
		}
		if st, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range st.Fields.List {
				if id, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 {
					found = append(found, id.Name)
				}
			}
		}
	}
	return found
}

// params are parameters as they are written, each with a name of its own.
func (s *stub) params(file *file, list []*ast.Field) []string {
	var params []string
	for _, field := range list {
		t := s.expr(file, field.Type)
		for range max(1, len(field.Names)) {
			params = append(params, fmt.Sprintf("a%d %s", len(params)+1, t))
		}
	}
	return params
}

// alarmParams are those of the method that sets an alarm.
func (s *stub) alarmParams(file *file, fn *ast.FuncDecl) []string {
	params := []string{"when pinned_.When"}
	list := fn.Type.Params.List
	if len(list) == 0 {
		return params
	}
	last := list[len(list)-1].Type
	if len(list) == 1 || s.is(file, last, pinnedPath, "Alarm") {
		return params
	}
	return append(params, "payload "+s.expr(file, last))
}
