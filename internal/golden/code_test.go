package golden

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/pinned-go/pinned/gen/diag"
)

// Every code that there is has a case that shows it.
func TestEveryCodeIsInAGolden(t *testing.T) {
	_, bad := readCases(t)
	shown := map[diag.Code]bool{
		diag.Internal: true, // a bug in pinnedgen: no input is known to show one
	}
	code := regexp.MustCompile(`\[(PIN\d{3})\]`)
	for _, c := range bad {
		for _, match := range code.FindAllStringSubmatch(string(c.wants[diagnosticsFile]), -1) {
			shown[diag.Code(match[1])] = true
		}
	}
	for _, code := range registered(t) {
		if !shown[code] {
			t.Errorf("no case shows %s", code)
		}
	}
}

// registered are the constants of type Code that package diag declares.
func registered(t *testing.T) []diag.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "gen", "diag", "code.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var codes []diag.Code
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			if literal, ok := v.(*ast.BasicLit); ok {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, diag.Code(text))
			}
		}
		return true
	})
	if len(codes) < 50 {
		t.Fatalf("only %d codes found: is gen/diag/code.go written otherwise now?", len(codes))
	}
	return codes
}
