package directive

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// FuzzScan holds Mentions to its word, that no file passes it in which Scan finds
// anything, and every diagnostic to a place that is on its line.
func FuzzScan(f *testing.F) {
	for _, comment := range []string{
		"//pinned:route GET /x", "// pinned: route", "///pinned:route", "//\u00a0pinned：route", "/*pined:route*/", "/*\r\n * pinned-route GET /x\r\n*/",
		"x() //pinned:object /x", "// a /*\n/* b */ /*pinned:error a 400*/", "//pinned:route PUT /x limit=\"1 KiB\" a", "//pinned:route \"PUT\" \"\\u00e9\" \"limit=0\"",
		"//pinned:error `a", "//pinnedroute GET /x", "//рinned:route", "//pin\u200bned:route", "//pinn\red:",
	} {
		f.Add(comment)
	}
	f.Fuzz(func(t *testing.T, comment string) {
		src := "package p\n\n" + comment + "\nfunc (r *R) X() {}\n"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil || err != nil {
			return
		}
		found, diags := Scan(fset, file)
		if len(found)+len(diags) > 0 && !Mentions([]byte(src)) {
			t.Errorf("%q isn't looked at: %v", src, diags)
		}
		if strings.Contains(src, "//line ") || strings.Contains(src, "/*line ") {
			return // positions are those of another file
		}
		lines := strings.Split(src, "\n")
		for _, d := range diags {
			if d.Line < 1 || d.Line > len(lines) || d.Col < 1 || d.EndCol < d.Col || d.EndCol > len(lines[d.Line-1])+1 {
				t.Errorf("%q: %v until column %d is outside", src, d, d.EndCol)
			}
		}
	})
}
