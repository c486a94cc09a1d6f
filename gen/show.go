package gen

import (
	"context"
	"go/types"

	"github.com/pinned-go/pinned/gen/diag"
	"github.com/pinned-go/pinned/gen/model"
)

// Row is an object with its routes, its trays and its alarms, as show prints them. Its
// JSON is the form that -json writes.
type Row struct {
	Package   string     `json:"package"` // import path
	Object    string     `json:"object"`  // the Go type's name
	Namespace string     `json:"namespace"`
	Routes    []RowRoute `json:"routes"`
	Trays     []RowTray  `json:"trays,omitempty"`  // those of Jobs included
	Alarms    []RowAlarm `json:"alarms,omitempty"` // in the order of their source
}

// RowRoute is one route of a Row.
type RowRoute struct {
	Method  string `json:"method"`
	Pattern string `json:"pattern"`
	Func    string `json:"func"` // the Go method's name
}

// RowTray is a field of an object that has trays or jobs.
type RowTray struct {
	Name string `json:"name"` // durable: that of its rows
	Type string `json:"type"` // TrayOf[…], TraysOf[…] or Jobs[…], by the names of packages
	Item string `json:"item"` // what is handled
	Func string `json:"func"` // the Go method that does
	// Inboxes are the generated methods that admit; none of a type in a package that
	// isn't of the run.
	Inboxes []string `json:"inboxes,omitempty"`
}

// RowAlarm is an alarm of an object.
type RowAlarm struct {
	Name string `json:"name"`
	Func string `json:"func"` // the Go method's name
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
			row.Trays, row.Alarms = rowTrays(object, models), rowAlarms(object)
			rows = append(rows, row)
		}
	}
	return rows, nil, nil
}

func rowTrays(o *model.Object, models []*model.Package) []RowTray {
	var rows []RowTray
	for _, d := range o.Durable {
		if d.Handle == "" {
			continue
		}
		qualify := func(p *types.Package) string {
			if p.Path() == o.Package {
				return ""
			}
			return p.Name()
		}
		row := RowTray{
			Name: d.Name, Type: d.Kind.String() + "[" + types.TypeString(d.Type, qualify) + "]",
			Item: types.TypeString(d.Item, qualify), Func: d.Handle,
		}
		for _, p := range models {
			for _, t := range p.Trays {
				if p.Path != d.Tray.Path || t.Class() != d.TrayClass {
					continue
				}
				for _, in := range t.Inboxes {
					row.Inboxes = append(row.Inboxes, in.Name)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func rowAlarms(o *model.Object) []RowAlarm {
	var rows []RowAlarm
	for _, a := range o.Alarms {
		rows = append(rows, RowAlarm{a.Name, a.Method})
	}
	return rows
}
