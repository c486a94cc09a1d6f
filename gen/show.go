package gen

import (
	"context"

	"github.com/pinned-go/pinned/gen/diag"
)

// Row is an object and its routes, as show prints them. Its JSON is the form that
// -json writes.
type Row struct {
	Package   string     `json:"package"` // import path
	Object    string     `json:"object"`  // the Go type's name
	Namespace string     `json:"namespace"`
	Routes    []RowRoute `json:"routes"`
}

// RowRoute is one route of a Row.
type RowRoute struct {
	Method  string `json:"method"`
	Pattern string `json:"pattern"`
	Func    string `json:"func"` // the Go method's name
}

// Show lists the objects of the packages that o names, by package, then in the
// order of their source. Diagnostics and error are as of Generate.
func Show(ctx context.Context, o Options) ([]Row, []diag.Diagnostic, error) {
	_, models, problems, err := read(ctx, o)
	if err != nil || len(problems) > 0 {
		return nil, problems, err
	}
	var rows []Row
	for _, p := range models {
		for _, object := range p.Objects {
			row := Row{Package: p.Path, Object: object.Name, Namespace: object.Namespace, Routes: []RowRoute{}}
			for _, r := range object.Routes {
				row.Routes = append(row.Routes, RowRoute{r.Method, r.Pattern, r.Func})
			}
			rows = append(rows, row)
		}
	}
	return rows, nil, nil
}
