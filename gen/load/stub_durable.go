package load

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

func migrateName(tray string) string {
	r, size := utf8.DecodeRuneInString(tray)
	return "Migrate" + string(unicode.ToUpper(r)) + tray[size:]
}

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
			if item := s.item(f, name); item != "" {
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

// item is the T of Items() iter.Seq[T] as it is written; "" where it isn't.
func (s *stub) item(f *folder, tray string) string {
	for _, file := range f.files {
		if file.test {
			continue
		}
		for _, decl := range file.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Name.Name != "Items" || receiver(fn) != tray || fn.Type.Results.NumFields() != 1 {
				continue
			}
			result := fn.Type.Results.List[0].Type
			if args := indices(result); len(args) == 1 && s.is(file, result, "iter", "Seq") {
				return s.expr(file, args[0])
			}
		}
	}
	return ""
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
