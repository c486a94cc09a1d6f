package main

import (
	"io"
	"path/filepath"
	"testing"
)

// What the generators are run on must be sound, or they would be measured
// failing.
func TestSyntheticPackagesCompile(t *testing.T) {
	l, err := newLab(t.Context(), quickPace, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(dir string) error{
		"objects":    func(dir string) error { return writeObjects(dir, l.root, 2) },
		"converters": func(dir string) error { return writeConverters(dir, 2) },
		"stringed":   writeStringed,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			if err := write(dir); err != nil {
				t.Fatal(err)
			}
			if err := l.command(t.Context(), dir, "go", "vet", "./..."); err != nil {
				t.Error(err)
			}
		})
	}
}
