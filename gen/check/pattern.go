package check

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/pinned-go/pinned/gen/model"
)

// maxWildcards is how many path parameters the runtime keeps for a request.
const maxWildcards = 8

// parsePattern splits a pattern as ServeMux does, which has the last word on it.
func parsePattern(pattern string) ([]model.Segment, string) {
	if problem := register(http.NewServeMux(), "GET "+pattern); problem != "" {
		return nil, problem
	}
	var segments []model.Segment
	wildcards := 0
	rest := pattern[1:]
	for {
		text, after, more := strings.Cut(rest, "/")
		last := !more
		switch {
		case last && text == "":
			segments = append(segments, model.Segment{Kind: model.Multi})
		case text == "{$}":
			segments = append(segments, model.Segment{Kind: model.End})
		case strings.HasPrefix(text, "{"):
			name := strings.TrimSuffix(text[1:], "}")
			g := model.Segment{Kind: model.Wildcard, Text: name}
			if n, ok := strings.CutSuffix(name, "..."); ok {
				g = model.Segment{Kind: model.Multi, Text: n}
			}
			wildcards++
			segments = append(segments, g)
		default:
			segments = append(segments, model.Segment{Kind: model.Literal, Text: unescape(text)})
		}
		if last {
			break
		}
		rest = after
	}
	if wildcards > maxWildcards {
		return nil, fmt.Sprintf("it has %d wildcards, and %d are the most", wildcards, maxWildcards)
	}
	return segments, ""
}

// unescape is ServeMux's rule: what isn't an escape stays as it is.
func unescape(s string) string {
	u, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	return u
}

// register puts a pattern on a mux; "" where it takes it, else its reason.
func register(mux *http.ServeMux, pattern string) (problem string) {
	defer func() {
		if v := recover(); v != nil {
			problem = reason(fmt.Sprint(v))
		}
	}()
	mux.Handle(pattern, http.NotFoundHandler())
	return ""
}

// reason is what a panic of ServeMux says, without the places in this program.
func reason(text string) string {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return strings.TrimSuffix(strings.TrimSpace(text[i+1:]), ".")
	}
	if _, after, ok := strings.Cut(text, "\": "); ok {
		text = after
	}
	if _, after, ok := strings.Cut(text, "offset "); ok { // counted with the method
		_, text, _ = strings.Cut(after, ": ")
	}
	return text
}

// patterns refuses routes of an object that conflict, or that no request reaches.
func (c *checker) patterns(o *model.Object) {
	mux := http.NewServeMux()
	var kept []*model.Route
	for _, r := range o.Routes {
		if r.Segments == nil {
			continue
		}
		pattern := r.Method + " " + r.Pattern
		problem := register(mux, pattern)
		if problem == "" {
			kept = append(kept, r)
			continue
		}
		for _, had := range kept {
			pair := http.NewServeMux()
			register(pair, had.Method+" "+had.Pattern)
			if why := register(pair, pattern); why != "" {
				c.report(conflict(r, had, why).With(had.PatternPos, "%s %s, of %s", had.Method, had.Pattern, had.Func))
				break
			}
		}
	}
	for _, r := range kept {
		if winner := unreachable(mux, r, kept); winner != nil {
			c.report(neverMatches(r, winner).With(winner.PatternPos, "%s %s, of %s", winner.Method, winner.Pattern, winner.Func))
		}
	}
}

// unreachable finds a route that wins wherever r would match; nil where r answers
// something. It is enough to try requests whose wildcards hold what no literal does,
// and as many segments for a rest as any pattern has: another request could only
// match more patterns.
func unreachable(mux *http.ServeMux, r *model.Route, all []*model.Route) *model.Route {
	most := 0
	for _, other := range all {
		most = max(most, len(other.Segments))
	}
	var winner *model.Route
	for _, path := range witnesses(r.Segments, most+1) {
		req := httptest.NewRequest(r.Method, "/", nil)
		req.URL = &url.URL{Path: unescape(path), RawPath: path}
		_, pattern := mux.Handler(req)
		if pattern == r.Method+" "+r.Pattern {
			return nil
		}
		for _, other := range all {
			if other != r && pattern == other.Method+" "+other.Pattern && winner == nil {
				winner = other
			}
		}
	}
	return winner
}

// fresh is a segment that no pattern has as a literal.
const fresh = "x-pinned-fresh-x"

// witnesses are paths that a pattern matches.
func witnesses(segments []model.Segment, most int) []string {
	path := ""
	for _, g := range segments {
		switch g.Kind {
		case model.Literal:
			path += "/" + url.PathEscape(g.Text)
		case model.Wildcard:
			path += "/" + fresh
		case model.End:
			return []string{path + "/"}
		case model.Multi:
			out := []string{path + "/"}
			for range most {
				path += "/" + fresh
				out = append(out, path, path+"/")
			}
			return out
		}
	}
	return []string{path}
}
