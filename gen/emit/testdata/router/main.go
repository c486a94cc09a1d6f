// Command router holds generated routers against ServeMux. Its test writes
// routers.go beside it.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/pinned-go/pinned/runtime"
)

// segments are what paths are made of; routers' own literals are among them.
var segments = []string{
	"a", "b", "ab", "c", "z", "y", "w", "v", "x", "%61", "a%2Fb", "%2F", "x%20y", "é", "caf%C3%A9", "%7Bx%7D", "%zz", "%",
}

func main() {
	random := rand.New(rand.NewPCG(3, 4))
	compared, failed := 0, 0
	for i, router := range routers {
		mux := newMux(patterns[i])
		for range 3000 {
			method, path := randomCall(random)
			ok, same := compare(mux, router, method, path)
			if ok {
				compared++
			}
			if !same || compared%64 == 0 && allocates(router, method, path) {
				fmt.Printf("  by the router of %q\n", patterns[i])
				failed++
			}
		}
		if failed > 20 {
			break
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
	fmt.Println("compared", compared)
}

func randomCall(random *rand.Rand) (method, path string) {
	method = []string{"GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "WEBSOCKET"}[random.IntN(8)]
	for range random.IntN(6) {
		path += "/" + segments[random.IntN(len(segments))]
	}
	if path == "" || random.IntN(4) == 0 {
		path += "/"
	}
	return method, path
}

// answer is what a mux's handler saw.
type answer struct {
	route  int
	values []string
}

func newMux(patterns []string) *http.ServeMux {
	mux := http.NewServeMux()
	for i, pattern := range patterns {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			got := answer{route: i}
			for _, name := range names(pattern) {
				got.values = append(got.values, r.PathValue(name))
			}
			*r.Context().Value(key{}).(*answer) = got
		})
	}
	return mux
}

type key struct{}

// names are the wildcards of a pattern.
func names(pattern string) []string {
	var names []string
	for _, s := range strings.Split(pattern, "/") {
		name, ok := strings.CutPrefix(s, "{")
		name = strings.TrimSuffix(strings.TrimSuffix(name, "}"), "...")
		if ok && name != "$" {
			names = append(names, name)
		}
	}
	return names
}

// compare asks both. ok is false where the mux redirects.
func compare(mux *http.ServeMux, router func(string, string, *runtime.Args) int, method, path string) (ok, same bool) {
	want := answer{route: -1}
	r := httptest.NewRequest(method, "/", nil).WithContext(with(&want))
	unescaped, err := url.PathUnescape(path)
	if err != nil {
		return false, true // no request has such a path
	}
	r.URL = &url.URL{Path: unescaped, RawPath: path}
	r.RequestURI = path
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	if w.Code >= 300 && w.Code < 400 {
		return false, true
	}

	// As the mux sees it, which is how EscapedPath writes it.
	escaped := r.URL.EscapedPath()
	var args runtime.Args
	got := router(method, escaped, &args)
	if got < 0 && method == "HEAD" {
		got = router("GET", escaped, &args)
	}
	if got != want.route {
		fmt.Printf("%s %s: route %d, the mux has %d\n", method, path, got, want.route)
		return true, false
	}
	for i, value := range want.values {
		if args[i] != value {
			fmt.Printf("%s %s: argument %d is %q, the mux has %q\n", method, path, i, args[i], value)
			return true, false
		}
	}
	return true, true
}

// allocates says whether a path that needs no unescaping costs memory.
func allocates(router func(string, string, *runtime.Args) int, method, path string) bool {
	if strings.Contains(path, "%") {
		return false
	}
	var args runtime.Args
	n := testing.AllocsPerRun(1, func() { router(method, path, &args) })
	if n > 0 {
		fmt.Printf("%s %s: %v allocations\n", method, path, n)
	}
	return n > 0
}

func with(a *answer) context.Context { return context.WithValue(context.Background(), key{}, a) }
