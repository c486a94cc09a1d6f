package routes

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/runtime"
)

// router is an object's generated router beside a ServeMux with its patterns.
type router struct {
	namespace string
	mux       *http.ServeMux
	match     func(method, path string, args *runtime.Args) int
	methods   []string // of the routes, by index
	patterns  []string
}

func newRouter[T any](c runtime.Class[T]) router {
	r := router{namespace: c.Namespace, mux: http.NewServeMux(), match: c.Match}
	for _, route := range c.Routes {
		r.methods, r.patterns = append(r.methods, route.Method), append(r.patterns, route.Pattern)
		names := wildcards(route.Pattern)
		r.mux.HandleFunc(route.Method+" "+route.Pattern, func(w http.ResponseWriter, req *http.Request) {
			tell(w, req, route.Method+" "+route.Pattern, names...)
		})
	}
	return r
}

// wildcards are the names in a pattern, in order.
func wildcards(pattern string) []string {
	var names []string
	for segment := range strings.SplitSeq(pattern, "/") {
		name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(segment, "{"), "}"), "...")
		if strings.HasPrefix(segment, "{") && name != "$" {
			names = append(names, name)
		}
	}
	return names
}

var routers = []router{
	newRouter(flatClass()), newRouter(wildClass()), newRouter(treeClass()), newRouter(rootClass()),
	newRouter(deepClass()), newRouter(escapedClass()), newRouter(methodsClass()), newRouter(dotsClass()),
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"}

// FuzzRouter sends the same request to a worker and to ServeMux: on every path
// that ServeMux would not redirect they take the same route with the same path
// values, or refuse with the same status and the same Allow.
func FuzzRouter(f *testing.F) {
	for set, r := range routers {
		for i, pattern := range r.patterns {
			path := strings.NewReplacer("{", "", "}", "", "...", "/more", "$", "").Replace(pattern)
			f.Add(uint8(set), uint8(slices.Index(methods, r.methods[i])), path)
		}
	}
	for _, path := range []string{"/", "/a", "/a/", "/a/b/", "/a%2Fb/c", "/%zz", "/a/%2e%2e/b", "/a//b", "//", "/.", "/..", "/a b", "/t", "/r", "/%", "/a?b=c", "/a/b/c/x/g", "/é", "/%C3%A9", "/%c3%a9", "/a/0", "/t/0/"} {
		for set := range routers {
			f.Add(uint8(set), uint8(0), path)
			f.Add(uint8(set), uint8(4), path)
			f.Add(uint8(set), uint8(6), path)
		}
	}
	worker := start(f)
	f.Fuzz(func(t *testing.T, set, method uint8, path string) {
		r, m := routers[int(set)%len(routers)], methods[int(method)%len(methods)]
		request := func(prefix string) *http.Request {
			u, err := url.ParseRequestURI("http://host" + prefix + path)
			if err != nil || !strings.HasPrefix(path, "/") {
				t.Skip("no path of a URL")
			}
			if strings.HasPrefix(u.Path, "/_") {
				t.Skip("the wire contract reserves it")
			}
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			req.Method, req.URL, req.RequestURI = m, u, u.RequestURI()
			return req
		}

		want := httptest.NewRecorder()
		asked := request("")
		r.mux.ServeHTTP(want, asked)
		if want.Code >= 300 && want.Code < 400 {
			t.Skip("ServeMux redirects it")
		}
		r.compare(t, asked, want)

		got := httptest.NewRecorder()
		worker.ServeHTTP(got, request(r.namespace+"/id"))
		if want.Code == http.StatusMethodNotAllowed {
			// What ServeMux would redirect is nothing to go by: it lists such methods, too.
			redirects := func(method string) bool {
				asked, answer := request(""), httptest.NewRecorder()
				asked.Method = method
				r.mux.ServeHTTP(answer, asked)
				return answer.Code >= 300 && answer.Code < 400
			}
			theirs, ours := allowed(want), allowed(got)
			redirected := slices.ContainsFunc(theirs, redirects)
			theirs, ours = slices.DeleteFunc(theirs, redirects), slices.DeleteFunc(ours, redirects)
			if !slices.Equal(ours, theirs) {
				t.Errorf("%s %s%s: Allow %q, ServeMux has %q", m, r.namespace, path, ours, theirs)
			}
			if m == http.MethodOptions {
				want.Code = http.StatusNoContent // ours answers; ServeMux doesn't
			}
			if len(theirs) == 0 && redirected && got.Code == http.StatusNotFound {
				return // no method is left that has a route
			}
		}
		if got.Code != want.Code || got.Header().Get("X-Route") != want.Header().Get("X-Route") {
			t.Errorf("%s %s%s: %d %q, ServeMux has %d %q", m, r.namespace, path,
				got.Code, got.Header().Get("X-Route"), want.Code, want.Header().Get("X-Route"))
		}
	})
}

// compare holds the router alone against what ServeMux took.
func (r router) compare(t *testing.T, req *http.Request, took *httptest.ResponseRecorder) {
	t.Helper()
	if req.Method == http.MethodHead && !strings.HasPrefix(took.Header().Get("X-Route"), "HEAD ") {
		return // that HEAD takes the GET route isn't the router's business
	}
	var args runtime.Args
	i := r.match(req.Method, req.URL.EscapedPath(), &args)
	got := ""
	if i >= 0 {
		w := httptest.NewRecorder()
		names := wildcards(r.patterns[i])
		for j, name := range names {
			req.SetPathValue(name, args[j])
		}
		tell(w, req, r.methods[i]+" "+r.patterns[i], names...)
		got = w.Header().Get("X-Route")
	}
	if want := took.Header().Get("X-Route"); got != want {
		t.Errorf("%s %s: the router of %s takes %q, ServeMux %q", req.Method, req.URL.EscapedPath(), r.namespace, got, want)
	}
}

// allowed is the Allow header without OPTIONS, which ServeMux doesn't know.
func allowed(w *httptest.ResponseRecorder) []string {
	var names []string
	for name := range strings.SplitSeq(strings.Join(w.Header().Values("Allow"), ","), ",") {
		if name = strings.TrimSpace(name); name != "" && name != http.MethodOptions {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func start(tb testing.TB) *runtime.Worker {
	tb.Helper()
	worker, err := runtime.NewWorker()
	if err != nil {
		tb.Fatal(err)
	}
	Register(worker)
	if err := worker.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := worker.Shutdown(context.WithoutCancel(tb.Context())); err != nil {
			tb.Error(err)
		}
	})
	return worker
}

// The generated routers allocate nothing on a path without escapes.
func TestRoutersDontAllocate(t *testing.T) {
	for _, r := range routers {
		for i, pattern := range r.patterns {
			path := strings.NewReplacer("{", "", "}", "", "...", "", "$", "").Replace(pattern)
			if strings.Contains(path, "%") {
				continue
			}
			var args runtime.Args
			if n := testing.AllocsPerRun(100, func() { r.match(r.methods[i], path, &args) }); n > 0 {
				t.Errorf("%s %s%s: %v allocations", r.methods[i], r.namespace, path, n)
			}
		}
	}
}
