package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/pinned-go/pinned/gen"
)

func show(ctx context.Context, c command, std streams) int {
	rows, problems, err := gen.Show(ctx, c.options())
	if err != nil || len(problems) > 0 {
		return c.trouble(std, problems, err)
	}
	printAll := printTable
	if c.json {
		printAll = printRows
	}
	if err := printAll(std.out, rows); err != nil {
		return c.trouble(std, nil, err)
	}
	return exitDone
}

func printRows(w io.Writer, rows []gen.Row) error {
	for _, row := range rows {
		if err := printJSON(w, row); err != nil {
			return err
		}
	}
	return nil
}

// printTable prints an object a paragraph, with its routes below it, then its trays and
// its alarms.
func printTable(w io.Writer, rows []gen.Row) error {
	for i, row := range rows {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s %s.%s\n", row.Namespace, row.Package, row.Object)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, r := range row.Routes {
			fmt.Fprintf(table, "  %s\t%s\t%s\n", r.Method, r.Pattern, r.Func)
		}
		for _, t := range row.Trays {
			fmt.Fprintf(table, "  tray\t%s\t%s\t%s", t.Name, t.Func, t.Type)
			if len(t.Inboxes) > 0 {
				fmt.Fprintf(table, ": %s", strings.Join(t.Inboxes, ", "))
			}
			fmt.Fprintln(table)
		}
		for _, a := range row.Alarms {
			fmt.Fprintf(table, "  alarm\t%s\t%s\n", a.Name, a.Func)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}
