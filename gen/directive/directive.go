// Package directive reads //pinned: directives: the table of verbs, the scan of
// all comments of a file, and the arguments. It knows syntax only, no types.
package directive

import (
	"go/ast"
	"go/token"
)

// Directive is one directive that stands on a declaration of the right kind.
type Directive struct {
	Verb string
	// Bad says that it was reported: its arguments aren't whole, or it is only
	// near to being one. It is kept so that what else depends on it isn't
	// reported too, such as the routes of an object.
	Bad bool
	// Args are the positional arguments, in order, by the table's names.
	Args []Arg
	// Options are the flags ("concurrent") and key=value pairs, in order.
	Options []Option
	Pos     token.Pos // of the "//"
	End     token.Pos // after the last argument

	File *ast.File
	// What it stands on: one of these, by the verb's targets.
	Func  *ast.FuncDecl
	Type  *ast.TypeSpec
	Value *ast.ValueSpec // with exactly one name
	Doc   *ast.CommentGroup
}

// Arg is a positional argument.
type Arg struct {
	Name, Text string
	Pos        token.Pos
}

// Option is an option; Value is "" for a flag.
type Option struct {
	Key, Value    string
	Pos, ValuePos token.Pos
}

// Arg is the text of the positional argument of that name.
func (d *Directive) Arg(name string) Arg {
	for _, a := range d.Args {
		if a.Name == name {
			return a
		}
	}
	return Arg{}
}

// Option finds an option by its key.
func (d *Directive) Option(key string) (Option, bool) {
	for _, o := range d.Options {
		if o.Key == key {
			return o, true
		}
	}
	return Option{}, false
}
