package directive

import (
	"go/ast"
	"slices"
	"strconv"
	"testing"
)

// What split does beyond ParseArgs is to say where words end.
func TestSplitAgreesWithParseArgs(t *testing.T) {
	for _, args := range []string{
		"", "a", " a  b\t", "\"a b\" c", "`a b` c", "a=\"b c\" d", "\"a\\tb\"", "\"\"", "\"a", "\"a\"b c", "`a", "a\u00a0b\u2003\"c\"", "\"\\q\"", "é \"é\" x",
	} {
		d := ast.Directive{Tool: "pinned", Name: "route", Args: args, ArgsPos: 100}
		want, err := d.ParseArgs()
		words, fault := split(d)
		if (fault != "") != (err != nil) {
			t.Errorf("%q: %q, ParseArgs says %v", args, fault, err)
		}
		if err != nil {
			continue
		}
		var got []ast.DirectiveArg
		for _, w := range words {
			got = append(got, ast.DirectiveArg{Arg: w.text, Pos: w.pos})
			source := args[w.pos-d.ArgsPos : w.end-d.ArgsPos]
			if unquoted, err := strconv.Unquote(source); source != w.text && (err != nil || unquoted != w.text) {
				t.Errorf("%q: %q is at %q", args, w.text, source)
			}
		}
		if len(got) != len(want) || len(got) > 0 && !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", args, got, want)
		}
	}
}
