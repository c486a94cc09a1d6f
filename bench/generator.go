package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// generatorContests run pinnedgen where it has nothing to do, on packages that
// import net/http and encoding/json and have an object each. All is compiled,
// and every output is there.
func generatorContests() []contest {
	// A ratio of 1/2 is twice the time.
	targets := map[int]float64{10: 1. / 2, 300: 1. / 4}
	var all []contest
	for _, count := range []int{10, 300} {
		name := fmt.Sprintf("pinnedgen/%d-packages", count)
		all = append(all,
			contest{
				name: name, against: "stringer, 1 package", unit: "ms", scale: lessIsBetter, target: targets[count],
				open: func(ctx context.Context, s *stage) (measure, measure, error) {
					return s.generate(ctx, count, stringer)
				},
			},
			contest{
				name: name, against: fmt.Sprintf("goverter, %d packages", count), unit: "ms", scale: lessIsBetter,
				open: func(ctx context.Context, s *stage) (measure, measure, error) {
					return s.generate(ctx, count, goverter)
				},
			},
		)
	}
	return all
}

// generator is a command with what it is run on.
type generator struct {
	pkg    string // of the command, in bench/peers
	source func(dir string, count int) error
	args   []string
}

var (
	stringer = generator{
		pkg:    "golang.org/x/tools/cmd/stringer",
		source: func(dir string, _ int) error { return writeStringed(dir) },
		args:   []string{"-type=Colour", "./p000"},
	}
	goverter = generator{
		pkg:    "github.com/jmattheis/goverter/cmd/goverter",
		source: writeConverters,
		args:   []string{"gen", "./..."},
	}
)

func (s *stage) generate(ctx context.Context, count int, peer generator) (mine, other measure, err error) {
	dir, err := s.tempDir()
	if err != nil {
		return nil, nil, err
	}

	pinnedgen, err := s.buildOurs(ctx, "cmd/pinnedgen")
	if err != nil {
		return nil, nil, err
	}
	objects := filepath.Join(dir, "objects")
	if err := writeObjects(objects, s.root, count); err != nil {
		return nil, nil, err
	}
	if mine, err = s.warmed(ctx, objects, pinnedgen, "./..."); err != nil {
		return nil, nil, err
	}

	command, err := s.buildPeer(ctx, peer.pkg)
	if err != nil {
		return nil, nil, err
	}
	others := filepath.Join(dir, "others")
	if err := peer.source(others, count); err != nil {
		return nil, nil, err
	}
	other, err = s.warmed(ctx, others, command, peer.args...)
	return mine, other, err
}

// warmed runs a generator twice, so that all that it loads is compiled and what
// it writes is there, and returns a measure of a further run in milliseconds.
func (s *stage) warmed(ctx context.Context, dir, command string, args ...string) (measure, error) {
	for range 2 {
		if err := s.command(ctx, dir, command, args...); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (float64, error) {
		began := time.Now()
		err := s.command(ctx, dir, command, args...)
		return float64(time.Since(began).Microseconds()) / 1000, err
	}, nil
}
