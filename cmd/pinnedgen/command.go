package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pinned-go/pinned/gen"
)

// The exit codes.
const (
	exitDone    = 0
	exitDrift   = 1 // of check: the output isn't what it should be
	exitTrouble = 2 // a diagnostic, a fault or wrong use
)

// streams are where a command writes.
type streams struct{ out, err io.Writer }

// command is a parsed command line.
type command struct {
	verb   *verb
	dir    string // -C
	tags   string
	json   bool
	module string   // -module of new
	args   []string // packages; of help a verb, of new the folder
}

// run carries out a command line and gives its exit code.
func run(ctx context.Context, args []string, std streams) int {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		c, err = command{verb: lookup("help"), args: c.args}, nil
	}
	if err != nil {
		fmt.Fprintf(std.err, "pinnedgen: %v\nRun pinnedgen help for the manual.\n", err)
		return exitTrouble
	}
	return c.verb.run(ctx, c, std)
}

// options are those of a run of the generator.
func (c command) options() gen.Options {
	return gen.Options{Dir: c.dir, Tags: c.tags, Patterns: c.args}
}

// parse reads a command line. With flag.ErrHelp comes the verb that help was
// asked about, in args.
func parse(args []string) (command, error) {
	c := command{verb: lookup("")}
	if len(args) > 0 && isWord(args[0]) {
		v := lookup(args[0])
		if v == nil {
			return command{}, unknownVerb(args[0])
		}
		c.verb, args = v, args[1:]
	}

	flags := flag.NewFlagSet("pinnedgen", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run prints the error
	flags.StringVar(&c.dir, "C", "", "")
	flags.StringVar(&c.tags, "tags", "", "")
	flags.BoolVar(&c.json, "json", false, "")
	if c.verb.name == "new" {
		flags.StringVar(&c.module, "module", "", "")
	}
	if err := flags.Parse(args); err != nil {
		return wrongFlag(c, err)
	}
	c.args = flags.Args()
	if c.verb.name == "new" && len(c.args) > 0 { // new DIR [-module PATH]
		folder := c.args[0]
		if err := flags.Parse(c.args[1:]); err != nil {
			return wrongFlag(c, err)
		}
		c.args = append([]string{folder}, flags.Args()...)
	}
	for _, arg := range c.args {
		if strings.HasPrefix(arg, "-") {
			return command{}, fmt.Errorf("flag %s comes after %s: flags stand between the verb and the rest", arg, c.args[0])
		}
	}
	if c.verb.name == "" && len(c.args) > 0 && isWord(c.args[0]) {
		if lookup(c.args[0]) == nil {
			return command{}, unknownVerb(c.args[0])
		}
		return command{}, fmt.Errorf("verb %s comes after a flag: flags stand after the verb (a package of that name is ./%[1]s)", c.args[0])
	}
	if n := len(c.args); n < c.verb.least || n > c.verb.most {
		return command{}, fmt.Errorf("usage: pinnedgen %s", c.verb.usage)
	}
	return c, nil
}

func wrongFlag(c command, err error) (command, error) {
	if errors.Is(err, flag.ErrHelp) {
		c.args = nil
		if c.verb.name != "" {
			c.args = []string{c.verb.name}
		}
		return c, err
	}
	text := strings.Replace(err.Error(), "flag provided but not defined:", "unknown flag", 1)
	return command{}, errors.New(text)
}

// isWord tells what can be a verb from package patterns, which have a dot or a
// slash in them.
func isWord(arg string) bool {
	return arg != "" && arg[0] != '-' && !strings.ContainsAny(arg, `./\`)
}

func unknownVerb(name string) error {
	var names []string
	for _, v := range verbs() {
		if v.name != "" {
			names = append(names, v.name)
		}
	}
	slices.Sort(names)
	return fmt.Errorf("unknown verb %s (there are %s; a package of that name is ./%[1]s)", name, strings.Join(names, ", "))
}
