package directive

import (
	"strings"
	"testing"
)

func TestNamespaces(t *testing.T) {
	for ns, ok := range map[string]bool{
		"/rooms": true, "/a.b-c_d~e": true, "/Rooms": true, "/a@b": true,
		"rooms": false, "/": false, "/a/b": false, "/a b": false, "/_x": false, "/.": false, "/..": false,
		"/registry": false, "/console": false, "/healthz": false, "/readyz": false, "/metrics": false,
		"/registry2": true, "/a?b": false, "/a#b": false, "/a%20": false, "/ü": false,
	} {
		if problem, _ := checkNamespace(ns); (problem == "") != ok {
			t.Errorf("%s: %q", ns, problem)
		}
	}
}

func TestClients(t *testing.T) {
	for dir, ok := range map[string]bool{
		"./api": true, "./a/b": true,
		"api": false, "./": false, ".": false, "../api": false, "/api": false, "./a/../b": false, "./api/": false,
		"./_a": false, "./.a": false, "./testdata": false, "./vendor/x": false, `.\api`: false, "./...": false,
	} {
		if problem, _ := checkClient(dir); (problem == "") != ok {
			t.Errorf("%s: %q", dir, problem)
		}
	}
}

func TestWhatIsAboutDurableState(t *testing.T) {
	for name, tc := range map[string]struct {
		check     func(string) (problem, fix string)
		text      string
		ok        bool
		otherwise string
	}{
		"a version":            {checkVersion, "2", true, ""},
		"no version":           {checkVersion, "0", true, ""},
		"a text for a version": {checkVersion, "v2", false, ""},
		"a version below 0":    {checkVersion, "-1", false, ""},
		"a signed version":     {checkVersion, "+1", false, ""},
		"a huge version":       {checkVersion, "2147483648", false, ""},
		"attempts":             {checkAttempts, "1", true, ""},
		"no attempts":          {checkAttempts, "0", false, ""},
		"a timeout":            {checkTimeout, "1h30m", true, ""},
		"a bare number":        {checkTimeout, "90", false, ""},
		"no time":              {checkTimeout, "0s", false, ""},
		"an inbox":             {checkInbox, "Add", true, ""},
		"an unexported inbox":  {checkInbox, "add", false, "Add"},
		"no name":              {checkInbox, "Add!", false, ""},
		"a field":              {checkFieldName, "mail", true, ""},
		"a selected field":     {checkFieldName, "r.mail", false, "mail"},
		"a keyword":            {checkFieldName, "type", false, ""},
		"an alarm":             {checkAlarm, "daily-digest_2", true, ""},
		"a capital alarm":      {checkAlarm, "Digest", false, "digest"},
		"a dotted alarm":       {checkAlarm, "a.b", false, ""},
		"a long alarm":         {checkAlarm, strings.Repeat("a", 65), false, ""},
	} {
		problem, fix := tc.check(tc.text)
		if (problem == "") != tc.ok || fix != tc.otherwise {
			t.Errorf("%s: %q, fix %q", name, problem, fix)
		}
	}
}
