package main

import "context"

// verb is one thing that the command does.
type verb struct {
	name  string // "" generates
	usage string // the command line, without "pinnedgen"
	short string // one line
	doc   string // paragraphs
	// least and most are how many arguments it takes beside flags.
	least, most int
	run         func(context.Context, command, streams) int
}

const many = 1 << 30

// verbs is the table that drives the parser, the usage text and help. It is a
// function since help, one of its rows, lists it.
func verbs() []*verb {
	return []*verb{
		{
			usage: "[flags] [packages]",
			short: "write pinned_gen.go of the packages",
			doc: `Without a verb, pinnedgen writes pinned_gen.go of each package that has //pinned:
directives, and into the folders that client= names. A file whose content is
the same isn't touched. A pinned_gen.go that nothing asks for any more is
removed; one that pinnedgen didn't write is never overwritten. When anything is
wrong, nothing is written.

It exits 0 when done, else 2.`,
			most: many, run: generate,
		},
		{
			name: "check", usage: "check [flags] [packages]",
			short: "compare pinned_gen.go with what would be written",
			doc: `Check writes nothing. It prints a unified diff of each generated file that is
changed, missing or orphaned, which "patch -p1" applies.

It exits 0 when everything is in sync, 1 when something differs, 2 when it can't
tell.`,
			most: many, run: check,
		},
		{
			name: "show", usage: "show [flags] [packages]",
			short: "print objects, routes, trays and alarms",
			doc: `Show prints the objects of the packages with their namespaces, routes, trays and
alarms; a tray with its durable name, the method that handles its items, its type,
and the methods that admit into it.

It exits 0 when done, else 2.`,
			most: many, run: show,
		},
		{
			name: "new", usage: "new [flags] DIR [-module PATH]",
			short: "make a module with a first object",
			doc: `New makes a module in DIR, a new or empty folder, that builds, tests and serves at
once: one object with its generated code, a test of it, and a main that listens
on 127.0.0.1:8080. The module is called as the folder is, or PATH: -module is the
one flag that no other verb has, and it may stand after DIR too.

It exits 0 when done, else 2.`,
			least: 1, most: 1, run: scaffold,
		},
		{
			name: "help", usage: "help [verb]",
			short: "explain a verb of pinnedgen, or of a directive",
			doc: `Help explains a verb of the command, such as check, or of a directive, such as
route; help generate explains what pinnedgen does without a verb. Without one it
prints the manual.`,
			most: 1, run: help,
		},
		{
			name: "version", usage: "version",
			short: "print the version of pinnedgen and of the Go that built it",
			doc:   `Version prints the version of pinnedgen and of the Go that built it.`,
			run:   printVersion,
		},
	}
}

func lookup(name string) *verb {
	for _, v := range verbs() {
		if v.name == name {
			return v
		}
	}
	return nil
}
