package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinned-go/pinned/internal/testdb"
)

// soon is when a state must have come about.
const soon = 20 * time.Second

// lane is one that a side brings to a state, and a side goes on with.
type lane struct {
	id             string
	state          *state
	writer, reader string
}

// trial is all lanes over one database, and the sides.
type trial struct {
	db    database
	sides map[string]*side
	lanes []lane
}

// Both sides bring lanes of their own to every state, at the same time and over one
// database. Then they are killed, and each goes on with lanes of both.
func TestEitherSideGoesOnWhereTheOtherWasKilled(t *testing.T) {
	for i, first := range names {
		t.Run("tables of "+first, func(t *testing.T) {
			url := testdb.Postgres(t)
			second := names[1-i]
			tr := &trial{db: openDatabase(t, url), sides: map[string]*side{first: start(t, first, url, true)}}
			tr.sides[second] = start(t, second, url, true)
			for i := range states {
				for _, writer := range names {
					for _, reader := range names {
						tr.lanes = append(tr.lanes, lane{fmt.Sprintf("s%02d-%s-%s", i, writer, reader), &states[i], writer, reader})
					}
				}
			}
			for _, l := range tr.lanes {
				tr.db.seed(t, l.id, l.state.seed)
			}

			tr.each(t, lane.by, func(s *side, l lane) error { return tr.take(t.Context(), s, l.id, l.state.steps) })
			tr.expect(t, "written", (*state).expected, lane.by)
			tr.kill()
			tr.expect(t, "killed", (*state).expected, nil)

			// One after the other: without a pinboard, ours resumes every marked row that it
			// finds at its start.
			for _, name := range []string{"py", "go"} {
				tr.goOn(t, start(t, name, url, false))
			}
		})
	}
}

// goOn has a side go on with its lanes.
func (tr *trial) goOn(t *testing.T, s *side) {
	t.Helper()
	all := tr.lanes
	defer func() { tr.lanes = all }()
	tr.lanes = slices.DeleteFunc(slices.Clone(all), func(l lane) bool { return l.reader != s.name })
	tr.sides = map[string]*side{s.name: s}

	tr.each(t, lane.from, func(s *side, l lane) error { return tr.take(t.Context(), s, l.id, nil) })
	tr.expect(t, "taken over", (*state).takenOver, lane.from)
	tr.each(t, lane.from, func(s *side, l lane) error { return look(t.Context(), s, l) })
	if _, err := s.do(t.Context(), "any", Step{Op: "release"}); err != nil {
		t.Fatal(err)
	}
	tr.each(t, lane.from, func(s *side, l lane) error { return tr.take(t.Context(), s, l.id, l.state.then) })
	tr.expect(t, "done", (*state).done, lane.from)
	tr.kill()
	tr.expect(t, "killed when done", (*state).done, nil)
}

// A worker that is stopped as a deploy does it leaves the rows of what was running, and
// the other side goes on with them.
func TestEitherSideGoesOnWhereTheOtherWasStopped(t *testing.T) {
	url := testdb.Postgres(t)
	stopped := state{
		name: "stopped",
		steps: []Step{
			add("work", hold(1, "count"), Item{N: 2, Do: []string{"count"}}), until("work", `"~attempts"`),
			add("boxes/k", hold(3)), until("boxes/k", `"~attempts"`),
		},
		rows: rows{
			"work/~":  `!{"queue":[{"n":1,"do":["count","hold"]},{"n":2,"do":["count"]}],"count":1,"~attempts":1}`,
			"boxes/k": `!{"queue":[{"n":3,"do":["hold"]}],"~attempts":1}`,
		},
		held:    rows{"work/~": `!{"queue":[{"n":1,"do":["count","hold"]},{"n":2,"do":["count"]}],"count":2,"~attempts":2}`},
		drained: rows{"work/~": `{"count":4}`, "boxes/k": `{}`},
	}
	for i, name := range names {
		other := names[1-i]
		tr := &trial{db: openDatabase(t, url), sides: map[string]*side{name: start(t, name, url, true)}}
		tr.lanes = []lane{{name + "-" + other, &stopped, name, other}}
		tr.each(t, lane.by, func(s *side, l lane) error { return tr.take(t.Context(), s, l.id, l.state.steps) })
		tr.sides[name].stop()
		tr.expect(t, "stopped", (*state).expected, nil)
		tr.goOn(t, start(t, other, url, false))
	}
}

func (l lane) by() string   { return l.writer }
func (l lane) from() string { return l.reader }

func (tr *trial) kill() {
	for _, s := range tr.sides {
		s.kill()
	}
}

// each calls f for the lanes of each side. The sides are at it at the same time.
func (tr *trial) each(t *testing.T, of func(lane) string, f func(*side, lane) error) {
	t.Helper()
	var wg sync.WaitGroup
	for name, s := range tr.sides {
		wg.Go(func() {
			for _, l := range tr.lanes {
				if of(l) != name {
					continue
				}
				if err := f(s, l); err != nil {
					t.Errorf("%s (%s): %v", l.state.name, l.id, err)
				}
			}
		})
	}
	wg.Wait()
}

// take takes steps, and activates the lane if there are none.
func (tr *trial) take(ctx context.Context, s *side, id string, steps []Step) error {
	if len(steps) == 0 {
		steps = []Step{{}}
	}
	for _, step := range steps {
		if step.Op == "until" {
			if err := tr.until(ctx, id, step); err != nil {
				return err
			}
			continue
		}
		if _, err := s.do(ctx, id, step); err != nil {
			return err
		}
	}
	return nil
}

// until waits until the row of a step's tray has its text, or is gone.
func (tr *trial) until(ctx context.Context, id string, step Step) error {
	name := step.Tray
	if !strings.Contains(name, "/") {
		name += "/~"
	}
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	for {
		all, err := tr.db.all(ctx)
		if err != nil {
			return fmt.Errorf("until the row %s has %q: %w", name, step.Text, err)
		}
		if doc := all[id][name]; step.Text != "" && strings.Contains(doc, step.Text) || doc == step.Text {
			return nil
		}
		pause(ctx)
	}
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(5 * time.Millisecond):
	}
}

// expect waits until all lanes have the rows of their states. A lane that hasn't is
// activated again by its side, if there is one: only a request makes up for an abort.
func (tr *trial) expect(t *testing.T, phase string, want func(*state) rows, of func(lane) string) {
	t.Helper()
	for deadline := time.Now().Add(soon); ; pause(t.Context()) {
		all, err := tr.db.all(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var wrong []lane
		for _, l := range tr.lanes {
			if all[l.id].text() != want(l.state).text() {
				wrong = append(wrong, l)
			}
		}
		if len(wrong) == 0 {
			return
		}
		if of == nil || time.Now().After(deadline) {
			for _, l := range wrong {
				t.Errorf("%s: %s, written by %s and read by %s (%s): the rows are%s\nwant%s",
					phase, l.state.name, l.writer, l.reader, l.id, all[l.id].text(), want(l.state).text())
			}
			return
		}
		for _, l := range wrong {
			_, _, _ = tr.sides[of(l)].post(t.Context(), l.id, []byte(`{"tray":"","op":""}`)) // the rows tell
		}
	}
}

// look compares what the fields hold.
func look(ctx context.Context, s *side, l lane) error {
	var errs []error
	for tray, view := range l.state.views {
		view.Queue, view.Steer = append([]int{}, view.Queue...), append([]int{}, view.Steer...)
		want, err := json.Marshal(view)
		if err != nil {
			return err
		}
		got, err := s.do(ctx, l.id, Step{Tray: tray, Op: "view"})
		if err != nil {
			return err
		}
		if got, want := decoded(got), decoded(string(want)); got != want {
			errs = append(errs, fmt.Errorf("%s sees in %s\n\t%s\nwant\n\t%s", s.name, tray, got, want))
		}
	}
	return errors.Join(errs...)
}
