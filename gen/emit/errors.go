package emit

import (
	"errors"
	"fmt"
	"go/types"
)

// What emit refuses. check finds all of it first, with positions; here it keeps
// an output that can't compile from being written.

func (f *file) fail(err error) { f.errs = append(f.errs, err) }

func (f *file) err() error {
	if len(f.errs) == 0 {
		return nil
	}
	return fmt.Errorf("emit %s: %w", f.pkg.Path, errors.Join(f.errs...))
}

// checkNames refuses a package that declares what will be generated, or gives
// another meaning to a predeclared identifier that generated code uses.
func (f *file) checkNames() {
	for _, name := range f.names.twice {
		f.fail(errDeclared(name))
	}
	for _, name := range []string{"bool", "error", "false", "int", "nil", "string", "true"} {
		if f.names.declared[name] {
			f.fail(fmt.Errorf("%s: the package declares %s, which generated code needs as it is predeclared", f.pkg.Names[name], name))
		}
	}
}

func errDeclared(name string) error {
	return fmt.Errorf("%s is declared already", name)
}

func errNoParameter(pattern, name string) error {
	return fmt.Errorf("%s has {%s}, which is no parameter", pattern, name)
}

func errHidden(t types.Type) error {
	return fmt.Errorf("%s can't be named outside of its package", t)
}

func errTooManyWildcards(pattern string) error {
	return fmt.Errorf("%s has more wildcards than a route can (%d)", pattern, maxArgs)
}

func errSliceDefault(name string) error {
	return fmt.Errorf("the field of %s is a slice, which has no default", name)
}
