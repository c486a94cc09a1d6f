package load

import (
	"fmt"
	"go/scanner"
	"go/token"

	"github.com/pinned-go/pinned/gen/diag"
)

// The messages of this package.

func syntaxError(e *scanner.Error) diag.Diagnostic {
	return diag.At(e.Pos, 0, diag.Syntax, "syntax error: %s", e.Msg)
}

func fileSuffix(pos token.Position, name string) diag.Diagnostic {
	return diag.At(pos, 0, diag.FileSuffix,
		"a directive can't stand in %s: its name keeps it out of the builds of other systems, where the output would not compile", name)
}

func constraintsDiffer(pos token.Position, constraint string) diag.Diagnostic {
	return diag.At(pos, 0, diag.ConstraintsDiffer,
		"all annotated files of a package need the same build constraint, since they have one output: %s", constraintText(constraint))
}

func constraintText(c string) string {
	if c == "" {
		return "this file has none"
	}
	return fmt.Sprintf("this file has //go:build %s", c)
}

func outputTaken(file string) diag.Diagnostic {
	return diag.Diagnostic{File: file, Line: 1, Col: 1, EndCol: 1, Code: diag.OutputTaken,
		Message: "this file takes the name of the generated one and wasn't generated: it is never overwritten, so rename it"}
}

// clientName is for a package that has no file yet and whose folder can't name one.
func (s *sources) clientName(f *folder) diag.Diagnostic {
	if d := f.clientDirective(); d != nil {
		o, _ := d.Option("client")
		return diag.At(s.fset.Position(o.ValuePos), len(o.Value), diag.ClientName,
			"%q can't be a package's name: put a file with a package clause into %s, or call the folder otherwise", f.name, o.Value)
	}
	return diag.Diagnostic{File: f.dir, Code: diag.ClientName, Message: fmt.Sprintf("%q can't be a package's name", f.name)}
}
