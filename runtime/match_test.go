package runtime

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/internal/wire"
)

// viaMux is what ServeMux makes of a path's first segment and of what follows.
func viaMux(t *testing.T, path string) (seg, rest string, ok bool) {
	t.Helper()
	u, err := url.ParseRequestURI(path)
	if err != nil || u.Path == "" || u.EscapedPath() != path {
		return "", "", false
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{seg}", func(_ http.ResponseWriter, r *http.Request) { seg, ok = r.PathValue("seg"), true })
	mux.HandleFunc("/{seg}/{rest...}", func(_ http.ResponseWriter, r *http.Request) {
		seg, rest, ok = r.PathValue("seg"), "/"+r.PathValue("rest"), true
	})
	mux.HandleFunc("/{$}", func(http.ResponseWriter, *http.Request) { seg, ok = "/", true })
	r := &http.Request{Method: "GET", URL: u, Host: "x", RequestURI: path, Header: http.Header{}}
	h, pattern := mux.Handler(r)
	if pattern == "" {
		return "", "", false
	}
	rw := &status{header: http.Header{}}
	h.ServeHTTP(rw, r)
	mux.ServeHTTP(rw, r)
	return seg, rest, ok && rw.code != http.StatusTemporaryRedirect && rw.code != http.StatusMovedPermanently
}

type status struct {
	header http.Header
	code   int
}

func (s *status) Header() http.Header         { return s.header }
func (s *status) Write(p []byte) (int, error) { return len(p), nil }
func (s *status) WriteHeader(code int)        { s.code = code }

// FuzzSegment holds Segment and Rest against ServeMux on the paths that it
// doesn't redirect.
func FuzzSegment(f *testing.F) {
	for _, path := range []string{
		"/", "/a", "/a/", "/a/b", "/a%2Fb/c", "/%2F", "/a%20b", "/a/b%2Fc/d", "/é", "/a;b", "/%e9", "/%C3%A9/x", "/a//b", "/./a", "/*", "/{x}", "/a/{y}",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		wantSeg, wantRest, ok := viaMux(t, path)
		if !ok {
			return
		}
		seg, rest := Segment(path)
		if seg != wantSeg {
			t.Errorf("Segment(%q) = %q, ServeMux has %q", path, seg, wantSeg)
		}
		if wantRest != "" {
			if got := "/" + Rest(rest); got != wantRest {
				t.Errorf("Rest(%q) = %q, ServeMux has %q", rest, got, wantRest)
			}
		}
		// Segments put together again are the path.
		var walked strings.Builder
		for at := path; at != ""; {
			before := at
			if _, at = Segment(at); len(at) >= len(before) {
				t.Fatalf("Segment(%q) doesn't get ahead", before)
			}
			walked.WriteString(before[:len(before)-len(at)])
		}
		if walked.String() != path {
			t.Errorf("segments of %q are %q", path, walked.String())
		}
	})
}

func TestSegmentAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		for path := "/rooms/lobby/messages/7"; path != ""; {
			_, path = Segment(path)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzAddress: whatever the path, an id that passes is one that a pattern can
// hold, and the rest is the path's own bytes.
func FuzzAddress(f *testing.F) {
	for _, path := range []string{"/rooms/lobby", "/rooms/lobby/", "/rooms/lobby/x/y", "/rooms//x", "//rooms/x", "/rooms/%2e%2e/x", "/rooms/a%2Fb", "rooms", "", "/", "/%72ooms/%7E/%5Fwake"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		namespace, id, rest := address(path)
		if wire.ValidID(id) != nil || wire.ValidNamespace(namespace) != nil {
			return
		}
		if !strings.HasSuffix(path, rest) && rest != "/" || !strings.HasPrefix(rest, "/") {
			t.Errorf("the rest of %q is %q", path, rest)
		}
		if strings.ContainsAny(id, "/%\\ \x00") || id == "." || id == ".." || len(id) > wire.MaxID {
			t.Errorf("the id of %q is %q", path, id)
		}
		if strings.Count(namespace, "/") != 1 {
			t.Errorf("the namespace of %q is %q", path, namespace)
		}
		seg, _ := Segment(rest)
		if fixed(rest) != strings.HasPrefix(seg, "_") {
			t.Errorf("fixed(%q) is wrong", rest)
		}
	})
}

func TestAllowIsThatOfServeMux(t *testing.T) {
	for _, routes := range [][]string{{"GET"}, {"HEAD"}, {"POST"}, {"GET", "PUT"}, {"DELETE", "PATCH", "POST"}, {"HEAD", "PUT"}, {}} {
		mux := http.NewServeMux()
		for _, m := range routes {
			mux.HandleFunc(m+" /x", func(http.ResponseWriter, *http.Request) {})
		}
		rw := &status{header: http.Header{}}
		mux.ServeHTTP(rw, &http.Request{Method: "BREW", URL: &url.URL{Path: "/x"}, Header: http.Header{}})
		match := func(method, path string, _ *Args) int { return slices.Index(routes, method) }
		if got, want := allow(match, "/x"), rw.header.Get("Allow"); got != want {
			t.Errorf("routes %v: Allow %q, ServeMux says %q", routes, got, want)
		}
	}
}

func TestWildcardsOfAPattern(t *testing.T) {
	for pattern, want := range map[string][]string{
		"/": nil, "/a": nil, "/{$}": nil, "/{a}": {"a"}, "/{a}/x/{b...}": {"a", "b"}, "/{a}/{$}": {"a"},
	} {
		if got := slices.Collect(wildcards(pattern)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
