package emit

import (
	"github.com/dave/jennifer/jen"
)

// errorTable is PinnedErrors: how authors' errors cross the wire.
func (f *file) errorTable() {
	rows := make([]jen.Code, 0, len(f.pkg.Errors))
	for _, e := range f.pkg.Errors {
		if !e.IsType {
			rows = append(rows, f.pinned("ErrorValue").Call(jen.Lit(e.Code), jen.Lit(e.Status), jen.Id(e.Name)))
			continue
		}
		t := jen.Id(e.Name)
		if e.Pointer {
			t = jen.Op("*").Id(e.Name)
		}
		rows = append(rows, f.pinned("ErrorType").Index(t).Call(jen.Lit(e.Code), jen.Lit(e.Status)))
	}
	table := f.pinned("Errors").Values()
	if len(rows) > 0 {
		table = f.pinned("Errors").Add(lines(rows...))
	}

	if len(f.pkg.ErrorImports) > 0 {
		var tables []jen.Code
		if len(rows) > 0 {
			tables = append(tables, table)
		}
		for _, im := range f.pkg.ErrorImports {
			tables = append(tables, f.from(im.Path, im.Name, "PinnedErrors"))
		}
		table = f.pinned("MergeErrors").Call(tables...)
	}
	f.add([]string{
		"PinnedErrors are the errors of this package, and of those it imports, that",
		"cross the wire by their codes.",
	}, jen.Var().Id("PinnedErrors").Op("=").Add(table))
}

// lines is a composite literal's body with a line for each element.
func lines(elements ...jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, elements...)
}

// pairs is a composite literal's body on one line: name, value, name, value, ….
// jennifer's Dict would sort the names, and isn't deterministic with imports.
func pairs(elements ...jen.Code) []jen.Code {
	var list []jen.Code
	for i := 0; i+1 < len(elements); i += 2 {
		list = append(list, jen.Add(elements[i]).Op(":").Add(elements[i+1]))
	}
	return list
}
