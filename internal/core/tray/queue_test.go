package tray

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func decodeInt(raw []byte) (int, error) { return strconv.Atoi(string(raw)) }

func entryOf[V any](q *Queue[V]) string {
	e := q.Snapshot()
	if e == nil {
		return "absent"
	}
	b := e.Append(nil)
	if len(b) != e.Len() {
		return strconv.Itoa(e.Len()) + " bytes: " + string(b)
	}
	return string(b)
}

func TestStoredQueuesAreReadAsThePeerWritesThem(t *testing.T) {
	for name, test := range map[string]struct {
		entry, after string
		rewrite      bool
		err          string
	}{
		"absent":                  {entry: "", after: "absent"},
		"a list":                  {entry: " [1, 2]", after: "[1,2]"},
		"an empty list":           {entry: "[]", after: "absent"},
		"a pending take":          {entry: `{"taken":[1],"items":[2,3]}`, after: "[1,2,3]", rewrite: true},
		"a take of all":           {entry: `{"taken":[1,2]}`, after: "[1,2]", rewrite: true},
		"nothing taken":           {entry: `{"items":[2]}`, after: "[2]"},
		"another member":          {entry: `{"items":[],"x":1}`, err: `the member "x" isn't one of a queue`},
		"a string":                {entry: `"x"`, err: "expected a list, or an object with taken and items"},
		"null":                    {entry: `null`, err: "expected a list, or an object with taken and items"},
		"items that are no list":  {entry: `{"items":null}`, err: `the member "items" isn't a list`},
		"an item of a wrong type": {entry: `[1,"x"]`, err: `item 1: strconv.Atoi`},
	} {
		t.Run(name, func(t *testing.T) {
			var entry []byte
			if test.entry != "" {
				entry = []byte(test.entry)
			}
			q, rewrite, err := ParseQueue(entry, decodeInt)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil || rewrite != test.rewrite || entryOf(&q) != test.after {
				t.Errorf("%s, rewrite %v, %v, want %s, %v", entryOf(&q), rewrite, err, test.after, test.rewrite)
			}
		})
	}
}

// TestAQueueIsALine drives a queue and a model of two slices with the same
// operations. Snapshots never change afterwards.
func TestAQueueIsALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			q            Queue[int]
			items, taken []int
			next         int
			shots        []*QueueEntry[int]
			texts        []string
		)
		add := func() (int, []byte) {
			next++
			return next, []byte(strconv.Itoa(next))
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				n, raw := add()
				if landed, err := q.Append(raw, n, nil); !landed || err != nil {
					t.Fatal(landed, err)
				}
				items = append(items, n)
			},
			"insert": func(t *rapid.T) {
				n, raw := add()
				err := q.Insert(raw, n, nil)
				if len(taken) > 0 && len(items) > 0 {
					if !errors.Is(err, ErrTakePending) {
						t.Fatal(err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				items = append([]int{n}, items...)
			},
			"pop": func(t *rapid.T) {
				item, ok := q.Pop()
				if ok != (len(items) > 0) || ok && item.Value != items[0] {
					t.Fatalf("popped %v, %v of %v", item.Value, ok, items)
				}
				if ok {
					items = items[1:]
				}
			},
			"take": func(t *rapid.T) {
				n := rapid.IntRange(0, 3).Draw(t, "n")
				took := q.Take(n)
				n = min(n, len(items))
				if len(took) != n {
					t.Fatalf("took %d of %d", len(took), n)
				}
				taken = append(taken, items[:n]...)
				items = items[n:]
			},
			"untake": func(t *rapid.T) {
				n := rapid.IntRange(0, 3).Draw(t, "n")
				if q.Untake(n) != (n <= len(taken)) {
					t.Fatal("untake")
				}
				if n <= len(taken) {
					keep := len(taken) - n
					items = slices.Concat(taken[keep:], items)
					taken = taken[:keep:keep]
				}
			},
			"commit": func(t *rapid.T) {
				if q.Commit() != (len(taken) > 0) {
					t.Fatal("commit")
				}
				taken = nil
			},
			"": func(t *rapid.T) {
				want := "absent"
				text := func(ns []int) string {
					b, _ := json.Marshal(ns)
					return string(b)
				}
				switch {
				case len(taken) > 0 && len(items) > 0:
					want = `{"taken":` + text(taken) + `,"items":` + text(items) + `}`
				case len(taken) > 0:
					want = `{"taken":` + text(taken) + `}`
				case len(items) > 0:
					want = text(items)
				}
				if got := entryOf(&q); got != want {
					t.Fatalf("%s, want %s", got, want)
				}
				if e := q.Snapshot(); e != nil {
					shots, texts = append(shots, e), append(texts, want)
				}
				for i, e := range shots {
					if got := string(e.Append(nil)); got != texts[i] {
						t.Fatalf("a snapshot changed from %s to %s", texts[i], got)
					}
				}
			},
		})
	})
}

func TestAPoppedQueueLetsGoOfItsItems(t *testing.T) {
	var q Queue[int]
	for n := range 1000 {
		if _, err := q.Append([]byte("1"), n, nil); err != nil {
			t.Fatal(err)
		}
	}
	for range 990 {
		q.Pop()
	}
	if cap(q.items) > 100 {
		t.Errorf("10 items in an array of %d", cap(q.items))
	}
}

func TestAnOutboxCountsTheAttemptsOfOneItem(t *testing.T) {
	o, err := ParseOutbox([]byte(`{"attempt": 2, "item": {"b": 1.0, "a": [1e2]}}`), func(raw []byte) (string, error) { return string(raw), nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		raw  string
		want int
	}{{`{"a":[100],"b":1}`, 3}, {`{"a":[100],"b":1}`, 4}, {`{"a":["100"],"b":1}`, 1}, {`{"a":[100],"b":1}`, 1}} {
		if n, err := o.Dispatch([]byte(step.raw), step.raw); err != nil || n != step.want {
			t.Errorf("the attempt of %s is %d, %v, want %d", step.raw, n, err, step.want)
		}
	}
	if got := string(o.Snapshot().Append(nil)); got != `{"item":{"a":[100],"b":1},"attempt":1}` || len(got) != o.Snapshot().Len() {
		t.Error(got)
	}
	if !o.Ack() || o.Ack() || o.Snapshot() != nil {
		t.Error("an outbox that was acknowledged isn't empty")
	}
}

func TestStoredOutboxesOfAnotherShapeAreRefused(t *testing.T) {
	for _, entry := range []string{
		`[]`, `null`, `{}`, `{"item":1}`, `{"attempt":1}`, `{"item":1,"attempt":0}`, `{"item":1,"attempt":true}`,
		`{"item":1,"attempt":1.5}`, `{"item":1,"attempt":"1"}`, `{"item":1,"attempt":1,"x":2}`,
	} {
		if _, err := ParseOutbox([]byte(entry), decodeInt); err == nil {
			t.Errorf("%s was taken", entry)
		}
	}
}

func TestCanonTellsValuesApartAndSpellingsTogether(t *testing.T) {
	for _, group := range [][]string{
		{`1`, `1.0`, `10e-1`, ` 1`}, {`"1"`}, {`["1"]`}, {`[1]`, `[1.0]`}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`}, {`{"a":1}`}, {`{"a":null}`},
		{`null`}, {`"null"`}, {`true`}, {`"ä"`, `"\u00e4"`}, {`9007199254740993`}, {`9007199254740992`, `9007199254740992.0`},
		{`1e999999`}, {`1e400`}, {`"a\",\"b"`}, {`["a","b"]`}, {`[["a"],"b"]`}, {`[]`}, {`{}`}, {`0.1`, `1e-1`}, {`-1`}, {`0`, `-0`},
	} {
		for _, spelling := range group {
			got, err := canon([]byte(spelling))
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := canon([]byte(group[0])); got != want {
				t.Errorf("%s and %s differ", spelling, group[0])
			}
			if !json.Valid([]byte(group[0])) {
				t.Error(group[0])
			}
		}
	}
	seen := map[string]string{}
	for _, s := range []string{`1`, `"1"`, `["1"]`, `[1]`, `{"a":1}`, `{"a":"1"}`, `null`, `"null"`, `9007199254740993`, `9007199254740992`, `1e999999`, `["a","b"]`, `["a\",\"b"]`} {
		c, err := canon([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[c]; ok {
			t.Errorf("%s and %s are the same", s, other)
		}
		seen[c] = s
	}
}
