package directive

import "testing"

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
