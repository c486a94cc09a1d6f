package directive

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	envForm       = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	errorCodeForm = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	wordForm      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// namespaceForm is the wire contract's (section 1), without what would have to
	// be escaped in a URL.
	namespaceForm = regexp.MustCompile(`^/[A-Za-z0-9._~!$&'()*+,;=:@-]+$`)
)

// reservedNamespaces are fixed paths of the pinboard (wire contract, section 1).
var reservedNamespaces = []string{"/registry", "/console", "/healthz", "/readyz", "/metrics"}

func checkNamespace(s string) (problem, fix string) {
	switch {
	case !strings.HasPrefix(s, "/"):
		if namespaceForm.MatchString("/" + s) {
			fix = "/" + s
		}
		return fmt.Sprintf("namespace %q must begin with /", s), fix
	case s == "/":
		return "a namespace needs a name after the /", ""
	case strings.Contains(s[1:], "/"):
		return fmt.Sprintf("namespace %q has more than one segment", s), ""
	case strings.HasPrefix(s, "/_"):
		return fmt.Sprintf("namespace %q is reserved: no namespace begins with /_", s), ""
	case !namespaceForm.MatchString(s) || s == "/." || s == "/..":
		return fmt.Sprintf("namespace %q must be one segment of a URL's path, without escapes", s), ""
	}
	if slices.Contains(reservedNamespaces, s) {
		return fmt.Sprintf("namespace %q is reserved for a fixed path of the pinboard", s), ""
	}
	return "", ""
}

func checkEnv(s string) (problem, fix string) {
	if !envForm.MatchString(s) {
		return fmt.Sprintf("env %q must hold only letters, digits and . _ -, and begin with a letter or a digit", s), ""
	}
	return "", ""
}

func checkClient(s string) (problem, fix string) {
	clean := path.Clean(s)
	switch {
	case strings.HasPrefix(s, "/"), strings.Contains(s, `\`), clean == ".", clean == "..", strings.HasPrefix(clean, "../"):
		return fmt.Sprintf("client %q must be a folder below this one, such as ./api", s), ""
	case "./"+clean != s:
		return fmt.Sprintf("client %q must be written %q", s, "./"+clean), "./" + clean
	}
	for seg := range strings.SplitSeq(clean, "/") {
		if strings.HasPrefix(seg, ".") || strings.HasPrefix(seg, "_") || seg == "testdata" || seg == "vendor" || seg == "..." {
			return fmt.Sprintf("client %q: the go command sees no package in a folder called %s", s, seg), ""
		}
	}
	return "", ""
}

func checkMethod(s string) (problem, fix string) {
	if slices.Contains(Methods, s) {
		return "", ""
	}
	up := strings.ToUpper(s)
	if slices.Contains(Methods, up) {
		return fmt.Sprintf("method %q must be written %s", s, up), up
	}
	if strings.HasPrefix(s, "/") {
		return fmt.Sprintf("a method is missing before the pattern %s: %s", s, list(Methods, "or")), ""
	}
	if up == "WS" || up == "WSS" {
		return fmt.Sprintf("unknown method %q, did you mean WEBSOCKET?", s), "WEBSOCKET"
	}
	if near := nearest(up, Methods); near != "" {
		return fmt.Sprintf("unknown method %q, did you mean %s?", s, near), near
	}
	return fmt.Sprintf("unknown method %q: a route has one of %s", s, list(Methods, "or")), ""
}

// checkPattern refuses what ServeMux takes in silence; what it refuses itself is
// found by registering the pattern.
func checkPattern(s string) (problem, fix string) {
	switch {
	case !strings.HasPrefix(s, "/"):
		if i := strings.IndexByte(s, '/'); i > 0 && !strings.HasPrefix(s, "{") && strings.ContainsAny(s[:i], ".:") {
			return fmt.Sprintf("pattern %q must not have a host", s), s[i:]
		}
		return fmt.Sprintf("pattern %q must begin with /", s), "/" + s
	case strings.Contains(s, "?"):
		return fmt.Sprintf("pattern %q must not have a query: tag a field of the request struct query:\"…\"", s),
			s[:strings.IndexByte(s, '?')]
	case strings.Contains(s, "#"):
		return fmt.Sprintf("pattern %q must not have a fragment", s), s[:strings.IndexByte(s, '#')]
	case strings.HasPrefix(s, "/_"), strings.HasPrefix(strings.ToLower(s), "/%5f"):
		return fmt.Sprintf("pattern %q is reserved: no route begins with /_", s), ""
	}
	if _, err := url.PathUnescape(s); err != nil {
		return fmt.Sprintf("pattern %q can never match: %s", s, err), ""
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return fmt.Sprintf("pattern %q holds a control character", s), ""
		}
	}
	return "", ""
}

func checkLimit(s string) (problem, fix string) {
	if _, err := ParseLimit(s); err != nil {
		return err.Error(), ""
	}
	return "", ""
}

// ParseLimit reads the value of limit=: bytes, or with KiB, MiB or GiB.
func ParseLimit(s string) (int64, error) {
	digits, unit := s, int64(1)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if d, ok := strings.CutSuffix(s, u.suffix); ok {
			digits, unit = d, u.bytes
		}
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("limit %q must be a whole number of bytes, or with KiB, MiB or GiB, such as 64KiB", s)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), n > math.MaxInt64/unit:
		return 0, fmt.Errorf("limit %q is too large", s)
	case err != nil:
		return 0, fmt.Errorf("limit %q: %w", s, err)
	case n == 0:
		return 0, fmt.Errorf("limit %q must be at least 1", s)
	}
	return n * unit, nil
}

func checkAuth(s string) (problem, fix string) {
	if !wordForm.MatchString(s) {
		return fmt.Sprintf("auth %q must be the name of a method, or none", s), ""
	}
	return "", ""
}

func checkErrorCode(s string) (problem, fix string) {
	if errorCodeForm.MatchString(s) {
		return "", ""
	}
	if low := strings.ToLower(s); errorCodeForm.MatchString(low) {
		fix = low
	}
	return fmt.Sprintf("error code %q must be [a-z][a-z0-9_-]*", s), fix
}

func checkStatus(s string) (problem, fix string) {
	n, err := strconv.Atoi(s)
	if err != nil || len(s) != 3 || n < 400 || n > 599 {
		return fmt.Sprintf("status %q of an error must be a number from 400 to 599", s), ""
	}
	return "", ""
}
