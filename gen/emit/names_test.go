package emit

import (
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pinned-go/pinned/gen/model"
)

func TestPickTakesTheFirstFreeName(t *testing.T) {
	for name, tc := range map[string]struct {
		taken, names []string
		want         string
	}{
		"free":                         {nil, []string{"r", "ref"}, "r"},
		"the second":                   {[]string{"r"}, []string{"r", "ref"}, "ref"},
		"a number":                     {[]string{"r", "ref"}, []string{"r", "ref"}, "r2"},
		"the next number":              {[]string{"r", "r2"}, []string{"r"}, "r3"},
		"a keyword":                    {nil, []string{"type"}, "type2"},
		"no name":                      {nil, []string{"", "req"}, "req"},
		"no name, and ours is taken":   {[]string{"req"}, []string{"", "req"}, "req2"},
		"a blank":                      {nil, []string{"_", "req"}, "req"},
		"a blank, and ours is taken":   {[]string{"req"}, []string{"_", "req"}, "req2"},
		"nothing that could be a name": {nil, []string{"", "_"}, "v2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := newLocals(tc.taken...).pick(tc.names...); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// letters make words of which many collide, and some are keywords.
var letters = rapid.StringOfN(rapid.RuneFrom([]rune("iferoGü2_")), 0, 4, -1)

func TestPickedNamesAreFreeIdentifiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLocals(rapid.SliceOf(letters).Draw(t, "taken")...)
		before := map[string]bool{}
		for name := range l {
			before[name] = true
		}
		names := rapid.SliceOfN(letters, 1, 3).Draw(t, "names")
		if got := l.pick(names...); !token.IsIdentifier(got) || got == "_" || before[got] || !l[got] {
			t.Errorf("picked %q of %q beside %v", got, names, before)
		}
	})
}

// TestNamesOfObjectsNeverMeet gives objects and routes names that run into each
// other, beside an author's.
func TestNamesOfObjectsNeverMeet(t *testing.T) {
	words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"A", "AB", "ABC", "B", "BC", "C", "Class", "AClass"}), 1, 6, rapid.ID)
	rapid.Check(t, func(t *rapid.T) {
		p := &model.Package{Names: map[string]token.Position{}}
		for _, name := range rapid.SliceOf(rapid.SampledFrom([]string{"aClass", "matchA", "serveAB", "serveAB2", "_pinnedFingerprint"})).Draw(t, "author") {
			p.Names[name] = token.Position{}
		}
		for _, name := range words.Draw(t, "objects") {
			o := &model.Object{Name: name}
			for _, fn := range words.Draw(t, "routes of "+name) {
				o.Routes = append(o.Routes, &model.Route{Func: fn})
			}
			p.Objects = append(p.Objects, o)
		}

		n := newNames(p)
		seen := map[string]bool{}
		for _, name := range n.own {
			if _, author := p.Names[name]; author || seen[name] && !slices.Contains(n.twice, name) || !token.IsIdentifier(name) {
				t.Errorf("%q is generated, of %q, beside the author's %v", name, n.own, p.Names)
			}
			seen[name] = true
		}
	})
}

func TestRoutesShareAFunctionIfTheyDecodeAlike(t *testing.T) {
	wildcard := func(names ...string) (segments []model.Segment) {
		for _, name := range names {
			segments = append(segments, model.Segment{Kind: model.Wildcard, Text: name})
		}
		return segments
	}
	o := &model.Object{Name: "Room", Routes: []*model.Route{
		{Func: "Get", Segments: wildcard("a", "b")},
		{Func: "Get", Segments: append([]model.Segment{{Text: "x"}}, wildcard("a", "b")...)},
		{Func: "Get", Segments: wildcard("b", "a")},
	}}
	n := newNames(&model.Package{Objects: []*model.Object{o}})
	if diff := cmp.Diff([]string{"serveRoomGet", "serveRoomGet", "serveRoomGet2"}, n.objects[o].serve); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
}

func TestImportsGiveWay(t *testing.T) {
	draft := newImports("example.com/m/rooms", "example.com/m")
	for path, name := range map[string]string{
		"net/http":              "http",
		"example.com/http":      "http",
		"example.com/a/http/v2": "http",
		"context":               "context",
		"example.com/dash-ed":   "any", // predeclared
		"example.com/type":      "kind",
		runtimePath:             "runtime",
		"m/runtime":             "runtime",
	} {
		draft.use(path, name)
	}
	got := draft.named(map[string]bool{"context": true, "kind": true}).aliases
	want := map[string]string{
		"net/http":              "http",
		"example.com/a/http/v2": "http2",
		"example.com/http":      "http3",
		"context":               "context2",
		"example.com/dash-ed":   "any2",
		"example.com/type":      "kind2",
		runtimePath:             "pinnedruntime",
		"m/runtime":             "runtime",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("aliases (-want +got):\n%s", diff)
	}
}

func TestIdentifiersOfTypes(t *testing.T) {
	pkg := types.NewPackage("example.com/m", "m")
	named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Topic", nil), types.NewStruct(nil, nil), nil)
	got := identifiers(types.NewMap(types.Typ[types.String], types.NewSlice(named)), nil)
	if diff := cmp.Diff([]string{"map", "string", "Topic"}, got); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}
