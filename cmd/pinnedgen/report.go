package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/pinned-go/pinned/gen/diag"
)

// trouble reports diagnostics and a fault, and gives the exit code for them.
func (c command) trouble(std streams, problems []diag.Diagnostic, fault error) int {
	for _, d := range problems {
		if !c.json {
			fmt.Fprintln(std.err, d)
		} else if err := printJSON(std.out, d); err != nil && fault == nil {
			fault = err
		}
	}
	if fault != nil {
		fmt.Fprintf(std.err, "pinnedgen: %v\n", fault)
	}
	return exitTrouble
}

// text is where words for people go: with -json, standard output has nothing but
// the objects.
func (c command) text(std streams) io.Writer {
	if c.json {
		return std.err
	}
	return std.out
}

// printJSON writes v on a line of its own.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // "<" and "&" are common in code
	return enc.Encode(v)
}
