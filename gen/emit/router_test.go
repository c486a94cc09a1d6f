package emit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/pinned-go/pinned/gen/model"
)

// TestRouterEqualsServeMux compiles the routers of many sets of patterns into one
// program, which holds each against a ServeMux with the same patterns.
func TestRouterEqualsServeMux(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	random := rand.New(rand.NewPCG(1, 2))
	sets := slices.Clone(handpicked)
	for len(sets) < 120 {
		sets = append(sets, randomPatterns(random))
	}

	program := routerProgram(t, sets)
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("compared")) {
		t.Fatalf("the program compared nothing:\n%s", out)
	}
	t.Logf("%s", out)
}

// handpicked are sets whose precedence is not obvious.
var handpicked = [][]string{
	{"GET /"},
	{"GET /{$}"},
	{"GET /{rest...}", "GET /{$}"},
	{"GET /a", "GET /a/", "GET /a/{$}", "POST /a/{x}"},
	{"GET /a/b/z", "GET /a/{x}/c", "GET /{rest...}"},                     // backtracks once
	{"GET /a/b/c/z", "GET /a/b/{y}/w", "GET /a/{x}/c/v", "GET /a/"},      // and three times
	{"GET /{a}/b", "GET /{a}/{b}/c", "GET /{a}/{b}/{rest...}"},           // wildcards share a place
	{"GET /a%2Fb", "GET /a/b", "GET /{x}/y"},                             // an escaped slash is no separator
	{"GET /%7Bx%7D", "GET /{x}/", "GET /caf%C3%A9", "GET /café/{y}"},     // literals are unescaped
	{"GET /%2F", "GET /x/%2F/y", "GET /x/{y}/z"},                         // a literal that reads as {$}
	{"HEAD /a", "GET /a/{x}", "DELETE /{rest...}", "WEBSOCKET /{x}"},     // a tree a method
	{"PUT /{a}/{b}/{c}/{d}/{e}/{f}/{g}/{rest...}", "PUT /{a}/{rest...}"}, // all arguments
}

// words are the segments that random patterns and paths are made of.
var words = []string{"a", "b", "ab", "c", "%61", "a%2Fb", "%2F", "x%20y", "é"}

// randomPatterns gives patterns that ServeMux takes beside each other.
func randomPatterns(r *rand.Rand) []string {
	mux := http.NewServeMux()
	var patterns []string
	for range 1 + r.IntN(12) {
		var b strings.Builder
		b.WriteString([]string{"GET", "GET", "GET", "HEAD", "POST"}[r.IntN(5)] + " ")
		for i := range r.IntN(5) {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "/{p%d}", i)
			} else {
				b.WriteString("/" + words[r.IntN(len(words))])
			}
		}
		b.WriteString([]string{"", "", "", "/", "/{$}", "/{rest...}"}[r.IntN(6)])
		if p := b.String(); strings.Contains(p, "/") && registers(mux, p) {
			patterns = append(patterns, p)
		}
	}
	if len(patterns) == 0 {
		return []string{"GET /a"}
	}
	return patterns
}

func registers(mux *http.ServeMux, pattern string) (ok bool) {
	defer func() { ok = recover() == nil }()
	mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	return true
}

// routesOf reads patterns, which ServeMux has accepted, for the emitter.
func routesOf(patterns []string) []*model.Route {
	var routes []*model.Route
	for _, p := range patterns {
		method, path, _ := strings.Cut(p, " ")
		r := &model.Route{Func: fmt.Sprintf("F%d", len(routes)), Method: method, Pattern: path}
		for _, s := range strings.Split(path, "/")[1:] {
			name, wild := strings.CutPrefix(s, "{")
			name = strings.TrimSuffix(name, "}")
			switch {
			case s == "": // only the last can be
				r.Segments = append(r.Segments, model.Segment{Kind: model.Multi})
			case s == "{$}":
				r.Segments = append(r.Segments, model.Segment{Kind: model.End})
			case strings.HasSuffix(name, "..."):
				r.Segments = append(r.Segments, model.Segment{Kind: model.Multi, Text: strings.TrimSuffix(name, "...")})
			case wild:
				r.Segments = append(r.Segments, model.Segment{Kind: model.Wildcard, Text: name})
			default:
				if u, err := url.PathUnescape(s); err == nil {
					s = u
				}
				r.Segments = append(r.Segments, model.Segment{Kind: model.Literal, Text: s})
			}
		}
		routes = append(routes, r)
	}
	return routes
}

// routerProgram is the command that runs testdata/router beside the routers. The
// package exists in an overlay only, within this module, so that it links the
// runtime that the routers are made for.
func routerProgram(t *testing.T, sets [][]string) *exec.Cmd {
	t.Helper()
	p := &model.Package{Path: "router", Name: "main"}
	for i, patterns := range sets {
		p.Objects = append(p.Objects, &model.Object{Name: fmt.Sprintf("O%d", i), Routes: routesOf(patterns)})
	}
	write := func(f *file) {
		for _, o := range p.Objects {
			f.match(o)
		}
		f.add(nil, jen.Var().Id("routers").Op("=").Index().Func().Params(
			jen.String(), jen.String(), jen.Op("*").Add(f.runtime("Args")),
		).Int().Add(lines(func() (all []jen.Code) {
			for _, o := range p.Objects {
				all = append(all, jen.Id(f.names.objects[o].match))
			}
			return all
		}()...)))
		f.add(nil, jen.Var().Id("patterns").Op("=").Index().Index().String().Add(lines(func() (all []jen.Code) {
			for _, patterns := range sets {
				all = append(all, jen.ValuesFunc(func(g *jen.Group) {
					for _, pattern := range patterns {
						g.Lit(pattern)
					}
				}))
			}
			return all
		}()...)))
	}
	draft := newFile(p, newImports(p.Path, p.Module))
	write(draft)
	final := newFile(p, draft.imports.named(map[string]bool{}))
	write(final)
	routers, err := final.render()
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "routers.go"), routers, 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(here, "testdata", "router", "routers.go"): filepath.Join(dir, "routers.go"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "go", "run", "-overlay", file, "./testdata/router")
}
