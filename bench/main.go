// Command bench measures this module side by side with others and prints, for
// each case, a ratio with its spread and the target beside it. It starts
// everything itself: servers are processes of their own, both sides get the same
// load in turn, and what is printed is the median over paired rounds.
//
//	go run ./bench [-json] [-quick] [-list] [case pattern]
//
// README.md beside it says what is compared with what.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run returns an error when something couldn't be measured. A target that is
// missed is a result like any other: the report says so.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = fmt.Fprintln(stderr, "usage: go run ./bench [-json] [-quick] [-list] [case pattern]")
		flags.PrintDefaults()
	}
	asJSON := flags.Bool("json", false, "print one JSON object a line")
	quick := flags.Bool("quick", false, "fewer and shorter rounds, without the cases that take minutes")
	list := flags.Bool("list", false, "print the cases and measure nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 1 {
		return fmt.Errorf("one case pattern at most, not %q; flags go before it", flags.Args())
	}
	chosen, err := choose(contests(*quick), flags.Arg(0))
	if err != nil {
		return err
	}
	if *list {
		for _, c := range chosen {
			if _, err := fmt.Fprintln(stdout, c.title()); err != nil {
				return err
			}
		}
		return nil
	}

	speed := fullPace
	if *quick {
		speed = quickPace
	}
	l, err := newLab(ctx, speed, stderr)
	if err != nil {
		return err
	}
	var report reporter = newTableReporter(stdout, chosen)
	if *asJSON {
		report = jsonReporter{stdout}
	}
	return measureAll(ctx, l, chosen, report)
}

// measureAll goes on after a case that failed, and returns all failures.
func measureAll(ctx context.Context, l *lab, chosen []contest, report reporter) error {
	var faults []error
	for _, c := range chosen {
		r, err := c.run(ctx, l)
		if ctx.Err() != nil {
			return errors.Join(append(faults, errors.New("interrupted"))...)
		}
		if err != nil {
			_, _ = fmt.Fprintln(l.log, "bench: trouble:", err)
			faults = append(faults, err)
			continue
		}
		if err := report.result(r); err != nil {
			return errors.Join(append(faults, err)...)
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d of %d cases couldn't be measured", len(faults), len(chosen))
	}
	return nil
}
