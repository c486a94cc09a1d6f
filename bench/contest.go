package main

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

// contest is one line of the report: a measure of ours and one of theirs, taken
// in turn.
type contest struct {
	name    string // of the case, words and numbers joined by dashes, levels by slashes
	against string // who or what ours is compared with
	unit    string
	scale   scale
	target  float64 // the ratio that ours must reach; 0: none was set
	pace    func(pace) pace

	// open starts what both sides need, which ends with the stage.
	open func(ctx context.Context, s *stage) (ours, theirs measure, err error)
}

// measure does a round's work of one side and returns what it measured.
type measure func(ctx context.Context) (float64, error)

// pace is how long is measured.
type pace struct {
	rounds int
	window time.Duration // of one side in one round
}

// Many short rounds rather than few long ones: what else goes on in the machine
// then falls on both sides of most pairs.
var (
	fullPace  = pace{rounds: 15, window: 700 * time.Millisecond}
	quickPace = pace{rounds: 5, window: 200 * time.Millisecond}
)

// fewer is the pace of contests whose rounds take as long as they take, and
// start servers of their own.
func fewer(p pace) pace {
	p.rounds = (p.rounds + 2) / 3
	return p
}

// limit is the other side of a contest against a figure.
func limit(figure float64) measure {
	return func(context.Context) (float64, error) { return figure, nil }
}

// againstLimit names that other side.
const againstLimit = "limit"

// contests lists all of them in the order of the report. In a quick run, those
// that take minutes are left out.
func contests(quick bool) []contest {
	var all []contest
	all = append(all, requestContests()...)
	all = append(all, residentContests(quick)...)
	all = append(all, activationContests()...)
	all = append(all, memoryContests()...)
	all = append(all, echoContests()...)
	all = append(all, routingContests()...)
	all = append(all, turnContests()...)
	all = append(all, durableContests()...)
	all = append(all, postgresContests()...)
	all = append(all, waitContests()...)
	all = append(all, generatorContests()...)
	return all
}

// choose returns the contests whose name or opponent a regular expression
// matches, as in "requests/.* against net/http". An empty one matches all.
func choose(all []contest, pattern string) ([]contest, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("case pattern: %w", err)
	}
	var chosen []contest
	for _, c := range all {
		if match.MatchString(c.title()) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("case pattern: none of %d cases matches %q; -list shows them", len(all), pattern)
	}
	return chosen, nil
}

// title is what a pattern is matched with.
func (c contest) title() string { return c.name + " against " + c.against }

// run takes turns: ours, theirs, ours, theirs.
func (c contest) run(ctx context.Context, l *lab) (result, error) {
	s := l.stage(c.paceOf(l.pace))
	defer s.close()
	ours, theirs, err := c.open(ctx, s)
	if err != nil {
		return result{}, fmt.Errorf("%s: open: %w", c.title(), err)
	}

	var rounds []round
	for i := range s.pace.rounds {
		var r round
		if r.ours, err = ours(ctx); err != nil {
			return result{}, fmt.Errorf("%s: round %d of ours: %w", c.title(), i+1, err)
		}
		if r.theirs, err = theirs(ctx); err != nil {
			return result{}, fmt.Errorf("%s: round %d of theirs: %w", c.title(), i+1, err)
		}
		rounds = append(rounds, r)
	}
	sum, err := summarize(rounds, c.scale)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", c.title(), err)
	}
	return c.result(sum), nil
}

func (c contest) paceOf(p pace) pace {
	if c.pace == nil {
		return p
	}
	return c.pace(p)
}
