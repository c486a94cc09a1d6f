package golden

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/gen"
	"github.com/pinned-go/pinned/gen/check"
	"github.com/pinned-go/pinned/gen/emit"
	"github.com/pinned-go/pinned/gen/load"
)

// varied are the cases whose output has the most in it: many imports, names that
// collide, several objects, several files, clients in other packages.
var varied = []string{
	"naming_worst_case", "naming_imports", "naming_client", "objects_several", "client_two_objects", "client_both_ways",
	"errors_declared", "errors_without_objects", "generics", "aliases", "options_of_routes", "payload_shapes",
	"durable", "durable_trays", "durable_naming",
}

// The same bytes come out on every run: of maps, of the order of packages and of
// their files, nothing shows.
func TestFiftyRendersAreTheSame(t *testing.T) {
	cases := variedCases(t)
	dir := newModule(t, cases)
	res, err := load.Load(t.Context(), load.Config{Dir: dir, Tags: tags, Patterns: patterns(cases), Env: environment()})
	if err != nil {
		t.Fatal(err)
	}
	var first map[string][]byte
	for round := range 50 {
		random := rand.New(rand.NewPCG(1, uint64(round)))
		shuffle(random, res.Packages)
		for _, p := range res.Packages {
			shuffle(random, p.Files)
			shuffle(random, p.ClientOf)
			shuffle(random, p.TypeErrors)
		}
		shuffle(random, res.Listed)

		models, problems := check.Check(res)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		files := map[string][]byte{}
		for _, m := range models {
			shuffle(random, m.ErrorImports)
			out, err := emit.Package(m)
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range out {
				files[m.Dir+"/"+name] = content
			}
		}
		if round == 0 {
			first = files
			continue
		}
		if !slices.Equal(slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(files))) {
			t.Fatalf("round %d has other files", round)
		}
		for name, content := range files {
			if !bytes.Equal(first[name], content) {
				t.Fatalf("round %d:\n%s", round, unified(first[name], content))
			}
		}
	}
}

// So it is with another order of patterns, in another folder, and with the output
// of before in place.
func TestRunsAreTheSameWhereverAndInWhateverOrder(t *testing.T) {
	cases := variedCases(t)
	var first []gen.File
	for round := range 3 {
		dir := newModule(t, cases)
		shuffle(rand.New(rand.NewPCG(2, uint64(round))), cases)
		for range 2 {
			out, problems, err := gen.Generate(t.Context(), options(dir, cases))
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			if changed, err := out.Write(); err != nil {
				t.Fatal(err, changed)
			}
			if first == nil {
				for _, f := range out.Files {
					first = append(first, gen.File{Path: relative(t, dir, f.Path), Content: f.Content})
				}
			}
			if len(out.Files) != len(first) {
				t.Fatalf("round %d has %d files, the first had %d", round, len(out.Files), len(first))
			}
			for i, f := range out.Files {
				if name := relative(t, dir, f.Path); name != first[i].Path || !bytes.Equal(first[i].Content, f.Content) {
					t.Fatalf("round %d, %s:\n%s", round, name, unified(first[i].Content, f.Content))
				}
			}
		}
	}
}

func variedCases(t *testing.T) []*testCase {
	t.Helper()
	good, _ := readCases(t)
	cases := slices.DeleteFunc(good, func(c *testCase) bool { return !slices.Contains(varied, c.name) })
	if len(cases) != len(varied) {
		t.Fatalf("%d of the cases %s are there", len(cases), strings.Join(varied, ", "))
	}
	return cases
}

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}
