package runtime

import (
	"net/url"
	"strings"
)

// Segment splits a path into its first segment and the rest, as
// net/http.ServeMux does: path begins with "/", the segment is unescaped if
// possible, and a path of only a slash is the segment "/", which no
// single wildcard matches. It allocates only where there is a percent sign.
func Segment(path string) (seg, rest string) {
	if path == "/" {
		return "/", ""
	}
	path = path[1:]
	i := strings.IndexByte(path, '/')
	if i < 0 {
		return unescape(path), ""
	}
	return unescape(path[:i]), path[i:]
}

// Rest is what a {name...} at the end of a pattern matches: path without its
// first slash, unescaped if possible.
func Rest(path string) string { return unescape(path[1:]) }

func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// address splits the escaped path of a request into namespace and id, each
// decoded once, and the path after the id as it came, which is "/" where
// nothing follows. The namespace is "" if the path has none.
func address(path string) (namespace, id, rest string) {
	if path == "" || path[0] != '/' {
		return "", "", ""
	}
	namespace, id = path, ""
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		namespace, id = path[:i+1], path[i+2:]
	}
	rest = "/"
	if i := strings.IndexByte(id, '/'); i >= 0 {
		id, rest = id[:i], id[i:]
	}
	if strings.IndexByte(namespace, '%') >= 0 {
		namespace = "/" + unescape(namespace[1:])
	}
	return namespace, unescape(id), rest
}

// fixed reports whether a path after the id is one that the runtime keeps for
// itself: its first segment begins with "_". In local mode none exists (wire
// contract, section 4).
func fixed(path string) bool {
	if len(path) > 1 && path[1] == '_' {
		return true
	}
	if len(path) < 2 || path[1] != '%' {
		return false
	}
	seg, _ := Segment(path)
	return strings.HasPrefix(seg, "_")
}

// websocketMethod is the method of routes that are sockets. No request has it:
// a handshake is a GET.
const websocketMethod = "WEBSOCKET"

// methods are those of routes, in the order of Allow.
var methods = [...]string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"}

// allow lists the methods that path answers, as ServeMux does in Allow: sorted,
// with HEAD wherever there is GET. A socket's handshake is a GET. It is ""
// where path has no route.
func allow(match func(method, path string, args *Args) int, path string) string {
	var args Args
	var b strings.Builder
	get := match("GET", path, &args) >= 0
	for _, m := range methods {
		has := match(m, path, &args) >= 0
		switch m {
		case "GET":
			has = has || match(websocketMethod, path, &args) >= 0
		case "HEAD":
			has = has || get
		}
		if !has {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(m)
	}
	return b.String()
}

// route finds the route of a request. It returns its index in the kind's
// routes, or -1 and the status of the answer: 404, 405, 426, or 204 for
// OPTIONS on a path that has a route.
func (k *kind) route(method, path string, upgrade bool, args *Args) (index, status int) {
	switch method {
	case "GET", "HEAD":
		if upgrade && method == "GET" {
			if index = k.match(websocketMethod, path, args); index >= 0 {
				return index, 0
			}
		}
		if index = k.match(method, path, args); index >= 0 {
			return index, 0
		}
		if method == "HEAD" {
			if index = k.match("GET", path, args); index >= 0 {
				return index, 0
			}
		}
		if k.match(websocketMethod, path, args) >= 0 {
			return -1, 426
		}
	case "POST", "PUT", "PATCH", "DELETE":
		if index = k.match(method, path, args); index >= 0 {
			return index, 0
		}
	}
	if allow(k.match, path) == "" {
		return -1, 404
	}
	if method == "OPTIONS" {
		return -1, 204
	}
	return -1, 405
}
