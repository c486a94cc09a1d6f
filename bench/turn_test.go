package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who renames a benchmark of the runtime learns here that it is one of ours.
func TestBenchmarksOfTurnsAreThere(t *testing.T) {
	files, err := filepath.Glob("../runtime/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	for _, b := range turnBenchmarks {
		name, _, _ := strings.Cut(b.benchmark, "/")
		if !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("package runtime has no %s", name)
		}
	}
}
