package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// debian is a package that the machine must have, with the command that tells
// whether it does.
type debian struct {
	name  string
	probe []string
}

// pythonPackages are what the Python peers need of the machine.
var pythonPackages = []debian{
	{"python3", []string{"python3", "--version"}},
	{"python3-venv", []string{"python3", "-c", "import ensurepip, venv"}},
}

// install brings missing Debian packages onto the machine, as root or through
// sudo. Where neither goes, its error names them.
func (l *lab) install(ctx context.Context, packages []debian) error {
	var missing []string
	for _, p := range packages {
		if exec.CommandContext(ctx, p.probe[0], p.probe[1:]...).Run() != nil {
			missing = append(missing, p.name)
		}
	}
	if len(missing) == 0 {
		return nil
	}

	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("these Debian packages are needed, and there is no apt-get here: %s", strings.Join(missing, " "))
	}
	install := append([]string{apt, "install", "-y", "--no-install-recommends"}, missing...)
	update := []string{apt, "update"}
	if os.Getuid() != 0 {
		// Without a terminal nobody can answer sudo's question.
		if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
			return fmt.Errorf("Debian packages are needed; install them as root: %s", strings.Join(install, " ")) //nolint:staticcheck // a proper name
		}
		install = append([]string{"sudo", "-n"}, install...)
		update = append([]string{"sudo", "-n"}, update...)
	}
	if err := l.command(ctx, l.root, install[0], install[1:]...); err == nil {
		return nil
	}
	// Fresh machines have no package lists.
	return errors.Join(
		l.command(ctx, l.root, update[0], update[1:]...),
		l.command(ctx, l.root, install[0], install[1:]...),
	)
}

// python returns the interpreter of a virtual environment that has a version of
// pinned with what serves it.
func (l *lab) python(ctx context.Context, version string) (string, error) {
	return l.once("pinned "+version+" from PyPI", func() (string, error) {
		wanted := filepath.Join(l.root, "bench", "peers", "python", "requirements-"+version+".txt")
		requirements, err := os.ReadFile(wanted)
		if err != nil {
			return "", err
		}
		folder := filepath.Join(l.cache, "pinned-"+version)
		interpreter := filepath.Join(folder, "bin", "python")

		// Written last: an environment that has it is whole.
		installed := filepath.Join(folder, "requirements.txt")
		if was, err := os.ReadFile(installed); err == nil && string(was) == string(requirements) {
			return interpreter, nil
		}
		if err := l.install(ctx, pythonPackages); err != nil {
			return "", err
		}
		if err := os.RemoveAll(folder); err != nil {
			return "", err
		}
		if err := l.command(ctx, l.root, "python3", "-m", "venv", folder); err != nil {
			return "", err
		}
		if err := l.command(ctx, l.root, interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted); err != nil {
			return "", err
		}
		return interpreter, os.WriteFile(installed, requirements, 0o600)
	})
}
