package diag

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func at(file string, line, col int) token.Position {
	return token.Position{Filename: file, Line: line, Column: col}
}

func TestTextNamesEveryPlace(t *testing.T) {
	for want, d := range map[string]Diagnostic{
		"a.go:3:16: bad [PIN010]":                        At(at("a.go", 3, 16), 4, BadArgument, "bad"),
		"a.go: bad [PIN033]":                             {File: "a.go", Code: OutputTaken, Message: "bad"},
		"a.go:3: bad [PIN030]":                           {File: "a.go", Line: 3, Code: Syntax, Message: "bad"},
		"bad [PIN000]":                                   {Code: Internal, Message: "bad"},
		"a.go:1:2: x 7 [PIN065]\n\tb.go:3:4: first of 2": At(at("a.go", 1, 2), 0, RouteConflict, "x %d", 7).With(at("b.go", 3, 4), "first of %d", 2),
		"a.go:1:2: 100% sure [PIN010]":                   At(at("a.go", 1, 2), 0, BadArgument, "%s", "100% sure"),
	} {
		if got := d.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestJSONHasTheMembersOfTheDesign(t *testing.T) {
	d := At(at("a.go", 3, 16), 4, BadArgument, "bad").With(at("b.go", 1, 2), "first").Replace("GET")
	for want, d := range map[string]Diagnostic{
		`{"file":"a.go","line":3,"col":16,"endCol":20,"code":"PIN010","message":"bad","related":[{"file":"b.go","line":1,"col":2,"message":"first"}],"fix":"GET"}`: d,
		`{"file":"a.go","line":3,"col":16,"endCol":16,"code":"PIN010","message":"bad","related":[]}`:                                                               At(at("a.go", 3, 16), 0, BadArgument, "bad"),
	} {
		got, err := json.Marshal(d)
		if err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	}
}

func TestWithLeavesTheOriginalAlone(t *testing.T) {
	d := At(at("a.go", 1, 1), 0, BadArgument, "bad").With(at("b.go", 1, 1), "one")
	two, three := d.With(at("c.go", 1, 1), "two"), d.With(at("c.go", 1, 1), "three")
	if len(d.Related) != 1 || two.Related[1].Message != "two" || three.Related[1].Message != "three" {
		t.Errorf("%v %v %v", d, two, three)
	}
}

func TestSortOrdersByPlaceAndDropsRepeats(t *testing.T) {
	var got []string
	for _, d := range Sort([]Diagnostic{
		At(at("b.go", 1, 1), 0, BadArgument, "x"),
		At(at("a.go", 10, 1), 0, BadArgument, "x"),
		At(at("a.go", 9, 2), 0, BadArgument, "y"),
		At(at("a.go", 9, 2), 0, BadArgument, "x"),
		At(at("a.go", 9, 2), 0, SpacedDirective, "z"),
		At(at("a.go", 9, 1), 0, BadArgument, "x"),
		At(at("b.go", 1, 1), 0, BadArgument, "x"),
	}) {
		got = append(got, d.String())
	}
	want := []string{
		"a.go:9:1: x [PIN010]", "a.go:9:2: z [PIN001]", "a.go:9:2: x [PIN010]", "a.go:9:2: y [PIN010]",
		"a.go:10:1: x [PIN010]", "b.go:1:1: x [PIN010]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRelativeShortensEveryPath(t *testing.T) {
	dir := t.TempDir()
	in := []Diagnostic{At(at(filepath.Join(dir, "a", "b.go"), 1, 1), 0, BadArgument, "x").
		With(at(filepath.Join(filepath.Dir(dir), "c.go"), 1, 1), "y")}
	got := Relative(dir, in)
	if got[0].File != "a/b.go" || got[0].Related[0].File != "../c.go" {
		t.Errorf("%v", got)
	}
	if !filepath.IsAbs(in[0].File) || !filepath.IsAbs(in[0].Related[0].File) {
		t.Errorf("the input changed: %v", in)
	}
}

// frozen are the codes that were given so far. A line is added here with a new code, and
// never changed or taken away.
const frozen = `PIN000 PIN001 PIN002 PIN003 PIN004 PIN005 PIN006 PIN007 PIN008 PIN009 PIN010 PIN011 PIN012 PIN013 PIN014 PIN015
PIN020 PIN021 PIN022 PIN023 PIN024 PIN025
PIN030 PIN031 PIN032 PIN033 PIN034 PIN035 PIN036 PIN037
PIN040 PIN041 PIN042 PIN043 PIN044 PIN045 PIN046 PIN047 PIN048 PIN049
PIN060 PIN061 PIN062 PIN063 PIN064 PIN065 PIN066 PIN067 PIN068 PIN069 PIN070 PIN071 PIN072 PIN073 PIN074 PIN075 PIN076 PIN077 PIN078 PIN079
PIN080 PIN081 PIN082 PIN083
PIN090 PIN091 PIN092 PIN093 PIN094
PIN100 PIN101 PIN102 PIN103 PIN104 PIN105 PIN106 PIN107 PIN108 PIN109 PIN110 PIN111 PIN112 PIN113 PIN114 PIN115 PIN116`

func TestCodesAreNumberedByHandAndKept(t *testing.T) {
	form := regexp.MustCompile(`^PIN\d{3}$`)
	seen := map[Code]bool{}
	last := Code("")
	var got []string
	for _, m := range Codes() {
		if seen[m.Code] || m.Code <= last || !form.MatchString(string(m.Code)) || m.Rule == "" {
			t.Errorf("%s %q", m.Code, m.Rule)
		}
		seen[m.Code], last = true, m.Code
		got = append(got, string(m.Code))
	}
	if diff := cmp.Diff(strings.Fields(frozen), got); diff != "" {
		t.Error(diff)
	}
}

// constants are the names of the codes in code.go.
func constants(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, decl := range file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
			for _, spec := range gen.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					names = append(names, v.Names[0].Name)
				}
			}
		}
	}
	return names
}

func TestEveryCodeIsSaidSomewhere(t *testing.T) {
	names := constants(t)
	if len(names) != len(Codes()) {
		t.Errorf("%d constants, %d meanings", len(names), len(Codes()))
	}
	var text strings.Builder
	for _, file := range []string{"../directive/errors.go", "../load/errors.go", "../check/errors.go", "../check/durable_errors.go", "../errors.go"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(src)
	}
	for _, name := range names {
		if !regexp.MustCompile(`\bdiag\.` + name + `\b`).MatchString(text.String()) {
			t.Errorf("%s is never used", name)
		}
	}
}
