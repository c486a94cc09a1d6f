package durability_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pinned-go/pinned/durability"
)

func TestWhatNoStoreHoldsIsRejectedBeforeAnythingIsWritten(t *testing.T) {
	m := durability.NewMemory()
	good := durability.Put{Tray: tray, Row: durability.Row{Doc: []byte(`{}`)}}
	doc := func(text string) durability.Op {
		return durability.Put{Tray: tray, Row: durability.Row{Doc: []byte(text)}}
	}
	for name, test := range map[string]struct {
		key durability.Key
		op  durability.Op
	}{
		"a list":            {key, doc(`[]`)},
		"two objects":       {key, doc(`{} {}`)},
		"no JSON":           {key, doc(`{"a"}`)},
		"nothing":           {key, doc(``)},
		"no UTF-8":          {key, doc("{\"a\":\"\xff\"}")},
		"no operation":      {key, nil},
		"an unknown one":    {key, unknownOp{}},
		"a NUL in a tray":   {key, durability.Delete{Tray: durability.Tray{Namespace: "a\x00", ID: "~"}}},
		"a NUL in an id":    {durability.Key{Namespace: "/r", ID: "a\x00"}, good},
		"no UTF-8 in an id": {durability.Key{Namespace: "/r", ID: "\xff"}, good},
	} {
		var rejected *durability.RejectedError
		if err := m.Apply(t.Context(), test.key, 0, []durability.Op{good, test.op}); !errors.As(err, &rejected) {
			t.Errorf("%s: %v", name, err)
		}
		if entries, err := m.List(t.Context(), key, 0, durability.Filter{}); len(entries) > 0 || err != nil {
			t.Fatalf("%s left %v, %v", name, entries, err)
		}
	}
	var rejected *durability.RejectedError
	bad := durability.Key{Namespace: "/r", ID: "\x00"}
	if _, err := m.List(t.Context(), bad, 0, durability.Filter{}); !errors.As(err, &rejected) {
		t.Error("list:", err)
	}
	if err := m.Adopt(t.Context(), bad, 0, 1); !errors.As(err, &rejected) {
		t.Error("adopt:", err)
	}
	if err := m.Adopt(t.Context(), key, 0, 0); !errors.As(err, &rejected) {
		t.Error("an epoch was adopted from 0 to 0:", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Apply(t.Context(), key, 0, []durability.Op{nil}); !errors.Is(err, durability.ErrClosed) {
		t.Error("a closed store looked at the operations:", err)
	}
}

func TestDocumentsAreCopies(t *testing.T) {
	m := durability.NewMemory()
	given := []byte(`{"a":1}`)
	if err := m.Put(t.Context(), key, 0, tray, durability.Row{Doc: given}); err != nil {
		t.Fatal(err)
	}
	given[5] = '2'
	for range 2 {
		row, _, err := m.Get(t.Context(), key, 0, tray)
		if err != nil || string(row.Doc) != `{"a":1}` {
			t.Errorf("%s, %v", row.Doc, err)
		}
		row.Doc[5] = '3'
	}
}

func TestDueIsAnIntegerOfThatVeryName(t *testing.T) {
	m := durability.NewMemory()
	for id, doc := range map[string]string{"a": `{"due":5}`, "b": `{"Due":1}`, "c": `{"due":"1"}`, "d": `{"due":1.5}`, "e": `{"due":null}`} {
		if err := m.Put(t.Context(), durability.Key{Namespace: "/r", ID: id}, 0, durability.AlarmTray, durability.Row{Doc: []byte(doc)}); err != nil {
			t.Fatal(err)
		}
	}
	due, err := m.DueAlarms(t.Context(), time.Now(), durability.Due{}, 10)
	if err != nil || len(due) != 1 || due[0].Key.ID != "a" {
		t.Errorf("%v, %v", due, err)
	}
	for _, limit := range []int{0, -1} {
		if due, err := m.DueAlarms(t.Context(), time.Now(), durability.Due{}, limit); len(due) > 0 || err != nil {
			t.Error(limit, due, err)
		}
	}
}
