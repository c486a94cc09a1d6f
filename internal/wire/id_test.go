package wire

import (
	"regexp"
	"strings"
	"testing"
)

// The contract's own words for an id and a namespace (section 1).
var (
	idPattern        = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,256}$`)
	namespacePattern = regexp.MustCompile(`^/[^/\s]+$`)
)

func TestValidID(t *testing.T) {
	for id, ok := range map[string]bool{
		"a": true, "~": true, ".a": true, "...": true, "A-Z_a.z~0": true, strings.Repeat("x", 256): true,
		"": false, ".": false, "..": false, "a/b": false, "a b": false, "a\n": false, "a\x00": false, "é": false, "%41": false,
		strings.Repeat("x", 257): false,
	} {
		if err := ValidID(id); (err == nil) != ok {
			t.Errorf("ValidID(%.20q) = %v", id, err)
		}
	}
}

func FuzzValidID(f *testing.F) {
	for _, id := range []string{"a", "..", "a\n", "é", "\xff"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		// $ would match before a line break at the end, \z wouldn't: Go's $ is \z.
		want := idPattern.MatchString(id) && id != "." && id != ".."
		if err := ValidID(id); (err == nil) != want {
			t.Errorf("ValidID(%q) = %v, want %t", id, err, want)
		} else if err != nil && id != "" && len(id) > 3 && strings.Contains(err.Error(), id) {
			t.Errorf("the error quotes the id: %v", err)
		}
	})
}

func TestValidNamespace(t *testing.T) {
	for ns, ok := range map[string]bool{
		"/rooms": true, "/r": true, "/é": true, "/a.b": true, "/healthz2": true,
		"": false, "/": false, "rooms": false, "/a/b": false, "/a/": false, "/a b": false, "/a\t": false, "/a\u00a0b": false, "/a\x00": false,
		"/_pinned": false, "/_": false, "/registry": false, "/console": false, "/healthz": false, "/readyz": false, "/metrics": false,
		"/.": false, "/..": false, "/\xff": false,
	} {
		err := ValidNamespace(ns)
		if (err == nil) != ok {
			t.Errorf("ValidNamespace(%q) = %v", ns, err)
		}
		if err == nil && !namespacePattern.MatchString(ns) {
			t.Errorf("ValidNamespace(%q) passes what the contract refuses", ns)
		}
	}
}

func TestReserved(t *testing.T) {
	for name, want := range map[string]bool{
		"Pinned-Refusal": true, "pinned-x": true, "PINBOARD-EPOCH": true, "pinboard-": true,
		"Pinned": false, "X-Pinned-A": false, "Pinned_Refusal": false, "": false,
	} {
		if Reserved(name) != want {
			t.Errorf("Reserved(%q) = %t", name, !want)
		}
	}
}

func TestProblem(t *testing.T) {
	pointer := ""
	for _, tt := range []struct {
		p    Problem
		want string
	}{
		{Problem{Status: 404}, `{"title":"Not Found","status":404,"detail":""}`},
		{Problem{Status: 423, Title: "T", Detail: "d", Code: "c", Data: []byte(`{"a":1}`)}, `{"title":"T","status":423,"detail":"d","code":"c","data":{"a":1}}`},
		{Problem{Status: 423, Title: "T", Data: []byte(`nonsense`)}, `{"title":"T","status":423,"detail":""}`},
		{Problem{Status: 400, Title: "T", Errors: []Fault{{Pointer: &pointer, Detail: "d"}, {Parameter: "p", Detail: "e"}}},
			`{"title":"T","status":400,"detail":"","errors":[{"pointer":"","detail":"d"},{"parameter":"p","detail":"e"}]}`},
		{Problem{Status: 400, Title: "a\nb\u2028"}, `{"title":"a\nb\u2028","status":400,"detail":""}`},
	} {
		if got := string(tt.p.Encode()); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestCloseReason(t *testing.T) {
	for reason, want := range map[string]int{"": 0, "a": 1, strings.Repeat("x", 123): 123, strings.Repeat("x", 124): 123, strings.Repeat("é", 62): 122} {
		if got := CloseReason(reason); len(got) != want || !strings.HasPrefix(reason, got) {
			t.Errorf("CloseReason of %d bytes has %d, want %d", len(reason), len(got), want)
		}
	}
}
