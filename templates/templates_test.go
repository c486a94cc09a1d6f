package templates_test

import (
	"go/format"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/templates"
)

func TestANewModuleHasAnObjectATestAndAMain(t *testing.T) {
	files := render(t, templates.Data{Module: "example.com/todo", Name: "todo", Version: "v0.1.0"})
	want := []string{".gitignore", "README.md", "go.mod", "lists/list.go", "lists/list_test.go", "main.go"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestTextsAreFormattedAndFilled(t *testing.T) {
	files := render(t, templates.Data{Module: "zzz", Name: "todo", Version: "v0.1.0"})
	for name, content := range files {
		text := string(content)
		if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s isn't filled:\n%s", name, text)
		}
		if path.Ext(name) != ".go" {
			continue
		}
		formatted, err := format.Source(content)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(string(formatted), text); diff != "" {
			t.Errorf("%s isn't formatted (-gofmt +ours):\n%s", name, diff)
		}
	}
}

func TestGoModUsesTheCheckoutItWasBuiltIn(t *testing.T) {
	for name, tc := range map[string]struct {
		replace, want string
	}{
		"released":            {"", ""},
		"a plain folder":      {"/home/gopher/pinned", "\nreplace github.com/pinned-go/pinned => /home/gopher/pinned\n"},
		"a folder with space": {"/my code/pinned", "\nreplace github.com/pinned-go/pinned => \"/my code/pinned\"\n"},
		"a folder on Windows": {`C:\code\pinned`, "\nreplace github.com/pinned-go/pinned => \"C:\\\\code\\\\pinned\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files := render(t, templates.Data{Module: "todo", Name: "todo", Version: "v0.1.0", Replace: tc.replace})
			want := "module todo\n\ngo 1.26.0\n\ntool github.com/pinned-go/pinned/cmd/pinnedgen\n\n" +
				"require github.com/pinned-go/pinned v0.1.0\n" + tc.want
			if diff := cmp.Diff(want, string(files["go.mod"])); diff != "" {
				t.Errorf("go.mod (-want +got):\n%s", diff)
			}
		})
	}
}

func render(t *testing.T, d templates.Data) map[string][]byte {
	t.Helper()
	files, err := templates.Files(d)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
