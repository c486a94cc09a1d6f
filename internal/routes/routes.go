// Package routes has objects with patterns of every shape. The fuzz test of its
// generated routers holds them against net/http.ServeMux.
package routes

import (
	"fmt"
	"net/http"

	"github.com/pinned-go/pinned"
)

//go:generate go run github.com/pinned-go/pinned/cmd/pinnedgen

// tell names the route that was taken, and its path values, in a header that
// answers of HEAD have as well.
func tell(w http.ResponseWriter, r *http.Request, route string, names ...string) {
	for _, name := range names {
		route += fmt.Sprintf(" %s=%q", name, r.PathValue(name))
	}
	w.Header().Set("X-Route", route)
}

// Flat has names only.
//
//pinned:object /flat
type Flat struct{ pinned.Object }

//pinned:route GET /
func (o *Flat) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /") }

//pinned:route GET /a
func (o *Flat) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a") }

//pinned:route POST /a
func (o *Flat) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "POST /a") }

//pinned:route GET /a/b
func (o *Flat) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/b") }

//pinned:route PUT /a/b/c
func (o *Flat) R4(w http.ResponseWriter, r *http.Request) { tell(w, r, "PUT /a/b/c") }

//pinned:route DELETE /long/literal/path/with/many/parts
func (o *Flat) R5(w http.ResponseWriter, r *http.Request) {
	tell(w, r, "DELETE /long/literal/path/with/many/parts")
}

//pinned:route GET /ab
func (o *Flat) R6(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /ab") }

//pinned:route GET /a/
func (o *Flat) R7(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/") }

//pinned:route PATCH /x-y_z.~
func (o *Flat) R8(w http.ResponseWriter, r *http.Request) { tell(w, r, "PATCH /x-y_z.~") }

// Wild has wildcards beside names.
//
//pinned:object /wild
type Wild struct{ pinned.Object }

//pinned:route GET /{a}
func (o *Wild) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /{a}", "a") }

//pinned:route GET /a
func (o *Wild) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a") }

//pinned:route GET /a/{b}
func (o *Wild) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/{b}", "b") }

//pinned:route GET /{a}/b/c
func (o *Wild) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /{a}/b/c", "a") }

//pinned:route GET /a/b/c/{d}
func (o *Wild) R4(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/b/c/{d}", "d") }

//pinned:route POST /{a}/{b}
func (o *Wild) R5(w http.ResponseWriter, r *http.Request) { tell(w, r, "POST /{a}/{b}", "a", "b") }

//pinned:route GET /{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}
func (o *Wild) R6(w http.ResponseWriter, r *http.Request) {
	tell(w, r, "GET /{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}", "a", "b", "c", "d", "e", "f", "g", "h")
}

//pinned:route DELETE /x/{y}/z
func (o *Wild) R7(w http.ResponseWriter, r *http.Request) { tell(w, r, "DELETE /x/{y}/z", "y") }

// Tree has trailing slashes, {$} and rests.
//
//pinned:object /tree
type Tree struct{ pinned.Object }

//pinned:route GET /{$}
func (o *Tree) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /{$}") }

//pinned:route GET /t/
func (o *Tree) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /t/") }

//pinned:route GET /t/{$}
func (o *Tree) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /t/{$}") }

//pinned:route GET /t/leaf
func (o *Tree) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /t/leaf") }

//pinned:route GET /r/{rest...}
func (o *Tree) R4(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /r/{rest...}", "rest") }

//pinned:route GET /r/{a}/fixed
func (o *Tree) R5(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /r/{a}/fixed", "a") }

//pinned:route GET /r/{$}
func (o *Tree) R6(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /r/{$}") }

//pinned:route PUT /{all...}
func (o *Tree) R7(w http.ResponseWriter, r *http.Request) { tell(w, r, "PUT /{all...}", "all") }

//pinned:route POST /{a}/
func (o *Tree) R8(w http.ResponseWriter, r *http.Request) { tell(w, r, "POST /{a}/", "a") }

//pinned:route GET /d/{x}/{rest...}
func (o *Tree) R9(w http.ResponseWriter, r *http.Request) {
	tell(w, r, "GET /d/{x}/{rest...}", "x", "rest")
}

// Root has everything below one route, with exceptions.
//
//pinned:object /root
type Root struct{ pinned.Object }

//pinned:route GET /
func (o *Root) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /") }

//pinned:route GET /robots.txt
func (o *Root) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /robots.txt") }

//pinned:route HEAD /robots.txt
func (o *Root) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "HEAD /robots.txt") }

//pinned:route POST /{$}
func (o *Root) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "POST /{$}") }

//pinned:route GET /a/{b}/{$}
func (o *Root) R4(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/{b}/{$}", "b") }

//pinned:route DELETE /{rest...}
func (o *Root) R5(w http.ResponseWriter, r *http.Request) { tell(w, r, "DELETE /{rest...}", "rest") }

// Deep has branches that have to be left again.
//
//pinned:object /deep
type Deep struct{ pinned.Object }

//pinned:route GET /a/{x}/c/d
func (o *Deep) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/{x}/c/d", "x") }

//pinned:route GET /a/b/{y}/e
func (o *Deep) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/b/{y}/e", "y") }

//pinned:route GET /{w}/b/c/f
func (o *Deep) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /{w}/b/c/f", "w") }

//pinned:route GET /a/b/c/{z}/g
func (o *Deep) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/b/c/{z}/g", "z") }

//pinned:route GET /{w}/{x}/{y}/{rest...}
func (o *Deep) R4(w http.ResponseWriter, r *http.Request) {
	tell(w, r, "GET /{w}/{x}/{y}/{rest...}", "w", "x", "y", "rest")
}

//pinned:route GET /a/b/c/d/e/f
func (o *Deep) R5(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a/b/c/d/e/f") }

// Escaped has names that a path escapes.
//
//pinned:object /escaped
type Escaped struct{ pinned.Object }

//pinned:route GET /é
func (o *Escaped) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /é") }

//pinned:route GET /a%20b
func (o *Escaped) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a%20b") }

//pinned:route GET /%7Bx%7D
func (o *Escaped) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /%7Bx%7D") }

//pinned:route GET /a%2Fb/{c}
func (o *Escaped) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a%2Fb/{c}", "c") }

//pinned:route GET /a+b
func (o *Escaped) R4(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a+b") }

//pinned:route GET /%25/{rest...}
func (o *Escaped) R5(w http.ResponseWriter, r *http.Request) {
	tell(w, r, "GET /%25/{rest...}", "rest")
}

//pinned:route GET /;=,@:!$&'()*
func (o *Escaped) R6(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /;=,@:!$&'()*") }

// Methods has each method, HEAD with and without GET.
//
//pinned:object /methods
type Methods struct{ pinned.Object }

//pinned:route GET /get
func (o *Methods) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /get") }

//pinned:route HEAD /head
func (o *Methods) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "HEAD /head") }

//pinned:route POST /post
func (o *Methods) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "POST /post") }

//pinned:route PUT /put
func (o *Methods) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "PUT /put") }

//pinned:route PATCH /patch
func (o *Methods) R4(w http.ResponseWriter, r *http.Request) { tell(w, r, "PATCH /patch") }

//pinned:route DELETE /delete
func (o *Methods) R5(w http.ResponseWriter, r *http.Request) { tell(w, r, "DELETE /delete") }

//pinned:route GET /both
func (o *Methods) R6(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /both") }

//pinned:route HEAD /both
func (o *Methods) R7(w http.ResponseWriter, r *http.Request) { tell(w, r, "HEAD /both") }

//pinned:route GET /all
func (o *Methods) R8(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /all") }

//pinned:route POST /all
func (o *Methods) R9(w http.ResponseWriter, r *http.Request) { tell(w, r, "POST /all") }

//pinned:route PUT /all
func (o *Methods) R10(w http.ResponseWriter, r *http.Request) { tell(w, r, "PUT /all") }

//pinned:route PATCH /all
func (o *Methods) R11(w http.ResponseWriter, r *http.Request) { tell(w, r, "PATCH /all") }

//pinned:route DELETE /all
func (o *Methods) R12(w http.ResponseWriter, r *http.Request) { tell(w, r, "DELETE /all") }

//pinned:route GET /{any}
func (o *Methods) R13(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /{any}", "any") }

//pinned:route POST /{any}/{b}
func (o *Methods) R14(w http.ResponseWriter, r *http.Request) {
	tell(w, r, "POST /{any}/{b}", "any", "b")
}

//pinned:route GET /x/{b}
func (o *Methods) R15(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /x/{b}", "b") }

// Dots has names of dots, empty segments and tildes.
//
//pinned:object /dots
type Dots struct{ pinned.Object }

//pinned:route GET /...
func (o *Dots) R0(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /...") }

//pinned:route GET /.hidden
func (o *Dots) R1(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /.hidden") }

//pinned:route GET /a.b/{c}
func (o *Dots) R2(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /a.b/{c}", "c") }

//pinned:route GET /~
func (o *Dots) R3(w http.ResponseWriter, r *http.Request) { tell(w, r, "GET /~") }

//pinned:route POST /{x}/...
func (o *Dots) R4(w http.ResponseWriter, r *http.Request) { tell(w, r, "POST /{x}/...", "x") }
