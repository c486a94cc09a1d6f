package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/pinned-go/pinned/gen/directive"
)

func help(_ context.Context, c command, std streams) int {
	w := c.text(std)
	if len(c.args) == 0 {
		manual(w)
		return exitDone
	}
	name := strings.TrimPrefix(strings.TrimPrefix(c.args[0], "//"), "pinned:")
	if name == helpOfDefault {
		name = ""
	}
	if v := lookup(name); v != nil {
		fmt.Fprintf(w, "usage: pinnedgen %s\n\n%s\n", v.usage, v.doc)
		return exitDone
	}
	if d := directive.Lookup(name); d != nil {
		explain(w, d)
		return exitDone
	}
	fmt.Fprintf(std.err, "pinnedgen: there is no verb %s, neither of the command nor of a directive\nRun pinnedgen help for the manual.\n", c.args[0])
	return exitTrouble
}

// helpOfDefault is what help calls the verb that has no name.
const helpOfDefault = "generate"

func manual(w io.Writer) {
	fmt.Fprint(w, `Pinnedgen generates the router, the typed client and the fake of objects that
//pinned: directives annotate.

Usage:

	pinnedgen [verb] [flags] [packages]

Packages are as for go build, "." without any. One whose folder is named like a
verb is written ./check.

Verbs:

`)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range verbs() {
		name := v.name
		if name == "" {
			name = "(none)"
		}
		fmt.Fprintf(table, "\t%s\t%s\n", name, v.short)
	}
	_ = table.Flush()
	fmt.Fprint(w, `
Flags, the same for every verb, after it ("new" has -module as well):

	-C dir      run in dir
	-tags list  build tags, separated by commas
	-json       print problems, differences and rows as JSON on standard output,
	            one object a line, and nothing else there

Directives:

`)
	for _, d := range directive.Verbs() {
		fmt.Fprintf(table, "\t%s\t%s\n", d.Name, d.Short)
	}
	_ = table.Flush()
	fmt.Fprint(w, `
"pinnedgen help <verb>" says more about each, of the command or of a directive, and
"pinnedgen help `+helpOfDefault+`" about what it does without a verb.

A module has pinnedgen as a tool, in the version of its runtime:

	go get -tool github.com/pinned-go/pinned/cmd/pinnedgen

and runs it by hand, or from a line in a Go file:

	go tool pinnedgen ./...
	//go:generate go tool pinnedgen

Examples:

	pinnedgen new rooms            a module to start from
	pinnedgen                      the package here
	pinnedgen check ./...          in CI: does everything fit?
	pinnedgen show -json ./rooms   routes, for another program
	pinnedgen help route           how a route looks
`)
}

// explain prints what the table of directives says.
func explain(w io.Writer, d *directive.Verb) {
	fmt.Fprintf(w, "%s\n\n%s\n", d.Usage(), d.Doc)
	section := func(title string, params []directive.Param) {
		if len(params) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s:\n\n", title)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, p := range params {
			name := p.Name
			if title == "Options" && p.Value != "" {
				name += "=" + p.Value
			}
			fmt.Fprintf(table, "\t%s\t%s\n", name, p.Doc)
			if len(p.Allowed) > 0 {
				fmt.Fprintf(table, "\t\t(%s)\n", strings.Join(p.Allowed, ", "))
			}
		}
		_ = table.Flush()
	}
	section("Arguments", d.Args)
	section("Options", d.Options)
	fmt.Fprint(w, "\nExample:\n\n")
	for _, line := range d.Example {
		fmt.Fprintln(w, strings.TrimRight("\t"+line, "\t"))
	}
}
