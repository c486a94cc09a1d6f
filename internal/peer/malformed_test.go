package peer

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinned-go/pinned/internal/testdb"
)

// malformed are entries of the row of work, none of which has the shape that it must
// have. What is in lenient the peer takes all the same.
var malformed = map[string][]string{
	"queue": {
		`5`, `"x"`, `null`, `true`, `{"x":1}`, `{"taken":[],"items":[],"more":1}`, `{"taken":5}`, `{"taken":null}`, `{"items":{}}`,
		`[{"n":"x"}]`, `[5]`, `{"taken":[{"n":1.5}]}`,
	},
	"out": {
		`5`, `[]`, `null`, `{}`, `{"item":{"n":1}}`, `{"attempt":1}`, `{"item":{"n":1},"attempt":0}`, `{"item":{"n":1},"attempt":-1}`,
		`{"item":{"n":1},"attempt":"1"}`, `{"item":{"n":1},"attempt":true}`, `{"item":{"n":1},"attempt":1.5}`,
		`{"item":{"n":1},"attempt":null}`, `{"item":{"n":1},"attempt":1,"more":1}`, `{"item":"x","attempt":1}`,
	},
	"count": {`"x"`, `null`, `1.5`, `[]`},
	"label": {`5`, `null`},
	"seen":  {`{}`, `["x"]`},

	"~attempts": {`0`, `-1`, `1.5`, `"1"`, `null`, `[]`, `true`},
	"~parked":   {`false`, `null`, `1`, `"true"`},
	"~inbox":    {`5`, `null`, `{"command":"delete"}`},
	"~dispatch": {
		`{}`, `5`, `null`, `[5]`, `[null]`, `[{}]`,
		`[{"target":["sink","~"],"outcome":"admitted","cleaned":false}]`,
		`[{"key":"k","outcome":"admitted","cleaned":false}]`,
		`[{"key":"k","target":["sink","~"],"cleaned":false}]`,
		`[{"key":"k","target":["sink","~"],"outcome":"admitted"}]`,
		`[{"key":"k","target":["sink","~"],"outcome":"lost","cleaned":false}]`,
		`[{"key":"k","target":["sink","~"],"outcome":"admitted","cleaned":"no"}]`,
		`[{"key":"k","target":["sink","~"],"outcome":"admitted","cleaned":null}]`,
		`[{"key":"k","target":"sink","outcome":"admitted","cleaned":false}]`,
		`[{"key":"k","target":["sink"],"outcome":"admitted","cleaned":false}]`,
		`[{"key":"k","target":["sink",null],"outcome":"admitted","cleaned":false}]`,
		`[{"key":"k","target":["sink","~","~"],"outcome":"admitted","cleaned":false}]`,
		`[{"key":"k","target":["sink","~"],"outcome":"admitted","cleaned":false,"more":1}]`,
	},
	"~ignore": {`{}`, `5`, `"k"`, `null`},
	"~v":      {`"0"`, `1.5`, `true`, `null`, `[]`},
}

// lenient are what the peer takes: it has no types of items and values, True is an int
// of its, and it looks at no member of a record before it needs it.
var lenient = map[string][]string{
	"queue":     {`[{"n":"x"}]`, `[5]`, `{"taken":[{"n":1.5}]}`},
	"out":       {`{"item":"x","attempt":1}`},
	"count":     malformed["count"],
	"label":     malformed["label"],
	"seen":      malformed["seen"],
	"~attempts": {`true`},
	"~dispatch": malformed["~dispatch"][5:],
}

// misplaced are rows that no lane can have, with what an error says of them.
var misplaced = map[string]rows{
	`("gone", "~")`:   {"gone/~": `!{}`},
	`("work", "x")`:   {"work/x": `{}`},
	`("sink", "")`:    {"sink/": `!{}`},
	`("shelf", "")`:   {"shelf/": `{}`},
	`("boxes", "")`:   {"boxes/": `!{}`},
	`("pinned", "x")`: {"pinned/x": `!{}`},
}

// broken is one lane that can't be activated.
type broken struct {
	rows    rows
	says    []string
	lenient bool
}

func allBroken() (all []broken) {
	for _, entry := range slices.Sorted(maps.Keys(malformed)) {
		for _, value := range malformed[entry] {
			all = append(all, broken{
				rows: rows{"work/~": fmt.Sprintf(`{"label":"kept",%q:%s}`, entry, value)},
				says: []string{`row ("work", "~")`, fmt.Sprintf("entry %q", entry)}, lenient: slices.Contains(lenient[entry], value),
			})
		}
	}
	for says, rows := range misplaced {
		all = append(all, broken{rows: rows, says: []string{"row " + says}})
	}
	return all
}

func TestWhatNoTrayHasWrittenFailsTheActivation(t *testing.T) {
	url := testdb.Postgres(t)
	db := openDatabase(t, url)
	sides := []*side{start(t, "go", url, false), start(t, "py", url, false)}
	all := allBroken()
	for i, b := range all {
		for _, s := range sides {
			id := fmt.Sprintf("b%d-%s", i, s.name)
			db.seed(t, id, b.rows)
			s.log.reset()
			status, _, err := s.post(t.Context(), id, []byte(`{"tray":"","op":""}`))
			if err != nil {
				t.Fatal(err)
			}
			refused := status == http.StatusInternalServerError
			if taken := s.name == "py" && b.lenient; refused == taken {
				t.Errorf("%s: %v: status %d", s.name, b.rows, status)
			}
			for _, text := range b.says {
				if s.name == "go" && !strings.Contains(s.log.text(), text) {
					t.Errorf("%v: the log doesn't say %s: %s", b.rows, text, s.log.text())
				}
			}
		}
	}
	for _, s := range sides {
		s.kill()
	}
	left, err := db.all(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range all {
		if got := left[fmt.Sprintf("b%d-go", i)].text(); got != b.rows.text() {
			t.Errorf("a lane that wasn't activated has the rows%s\nwant%s", got, b.rows.text())
		}
	}
}

// lines is a log.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ReplaceAll(l.b.String(), `\"`, `"`)
}

func (l *lines) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}
