package document_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pinned-go/pinned/internal/core/document"
)

func decode(t *testing.T, doc string) *document.Row {
	t.Helper()
	r, err := document.Decode([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(r *document.Row) string { return string(r.Snapshot().AppendDoc(nil)) }

func TestWhatNobodyClaimsIsKeptAsItIs(t *testing.T) {
	r := decode(t, ` {"b": 1.50, "a\u0061": {"x" : [1, 2]}, "~state": null, "n": 9007199254740993} `)
	if raw, ok := r.Claim("b"); !ok || string(raw) != "1.50" {
		t.Errorf("%s, %v", raw, ok)
	}
	if _, ok := r.Claim("absent"); ok {
		t.Error("an absent entry is there")
	}
	if diff := cmp.Diff([]string{"aa", "~state", "n"}, r.Unclaimed()); diff != "" {
		t.Error(diff)
	}
	r.Set("b", document.Raw("2"))
	r.Set("c", document.Raw(`"new"`))
	if got, want := text(r), `{"b":2,"aa":{"x" : [1, 2]},"~state":null,"n":9007199254740993,"c":"new"}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, name := range []string{"aa", "b", "c", "n", "~state", "absent"} {
		r.Set(name, nil)
	}
	if got := text(r); got != "{}" || !r.Empty() {
		t.Error(got)
	}
}

func TestOfANameThatIsThereTwiceTheLastCounts(t *testing.T) {
	if got := text(decode(t, `{"a":1,"b":2,"a":3}`)); got != `{"a":3,"b":2}` {
		t.Error(got)
	}
}

func TestWhatIsNoObjectIsRefused(t *testing.T) {
	for _, doc := range []string{``, ` `, `null`, `[]`, `1`, `"a"`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{a:1}`, `{"a":1}}`, `{} {}`} {
		if _, err := document.Decode([]byte(doc)); err == nil {
			t.Errorf("%q was taken", doc)
		}
	}
}

func TestVersions(t *testing.T) {
	for doc, want := range map[string]int{`{}`: 0, `{"~v":0}`: 0, `{"~v":3}`: 3} {
		if v, err := decode(t, doc).Version(); v != want || err != nil {
			t.Errorf("%s: %d, %v", doc, v, err)
		}
	}
	for _, doc := range []string{`{"~v":null}`, `{"~v":"3"}`, `{"~v":1.5}`, `{"~v":[]}`, `{"~v":99999999999999999999}`} {
		if v, err := decode(t, doc).Version(); err == nil || !strings.Contains(err.Error(), "~v") {
			t.Errorf("%s: %d, %v", doc, v, err)
		}
	}
	r := decode(t, `{"a":1}`)
	r.SetVersion(2)
	if got := text(r); got != `{"a":1,"~v":2}` {
		t.Error(got)
	}
	r.SetVersion(0)
	if got := text(r); got != `{"a":1}` {
		t.Error(got)
	}
}

// TestAnyChanges holds rows against a plain map: what they render, how long they say that
// is, before and after, and that a snapshot never changes.
func TestAnyChanges(t *testing.T) {
	names := []string{"a", "b", `quo"te`, "ünï", "", "~state"}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		r, model := &document.Row{}, map[string]string{}
		type taken struct {
			document.Snapshot

			text string
		}
		var snapshots []taken
		for n := range 60 {
			name := names[rng.IntN(len(names))]
			switch rng.IntN(4) {
			case 0:
				if r.With(name, nil) != lengthWith(r, name, nil) {
					t.Fatal("With of no entry")
				}
				r.Set(name, nil)
				delete(model, name)
			case 1:
				raw, ok := r.Claim(name)
				if want, there := model[name]; ok != there || string(raw) != want {
					t.Fatalf("claim of %q: %s, %v", name, raw, ok)
				}
			case 2:
				s := r.Snapshot()
				snapshots = append(snapshots, taken{s, string(s.AppendDoc(nil))})
			default:
				value := fmt.Sprintf(`{"n":%d}`, n*n*n)
				with := r.With(name, document.Raw(value))
				r.Set(name, document.Raw(value))
				model[name] = value
				if r.Len() != with {
					t.Fatalf("%d bytes, With said %d", r.Len(), with)
				}
			}
			doc := text(r)
			if len(doc) != r.Len() || r.Snapshot().Len() != len(doc) || r.Has(name) != (model[name] != "") {
				t.Fatalf("%s has %d bytes, Len says %d", doc, len(doc), r.Len())
			}
			var got map[string]json.RawMessage
			if err := json.Unmarshal([]byte(doc), &got); err != nil {
				t.Fatal(err)
			}
			if !maps.EqualFunc(got, model, func(a json.RawMessage, b string) bool { return string(a) == b }) {
				t.Fatalf("%s, want %v", doc, model)
			}
		}
		for _, s := range snapshots {
			if got := string(s.AppendDoc(nil)); got != s.text {
				t.Fatalf("a snapshot was %s and is %s", s.text, got)
			}
		}
	}
}

func lengthWith(r *document.Row, name string, e document.Entry) int {
	c, err := document.Decode(r.Snapshot().AppendDoc(nil))
	if err != nil {
		return -1
	}
	c.Set(name, e)
	return len(text(c))
}

func FuzzDecode(f *testing.F) {
	for _, doc := range []string{`{}`, `{"a":1,"b":[{}]}`, `{"a":1,"a":2}`, "{\"\xff\":1}", `{"\ud800":1}`, `[`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		r, err := document.Decode(slices.Clone(doc))
		if (err == nil) != (json.Valid(doc) && strings.HasPrefix(strings.TrimLeft(string(doc), " \t\r\n"), "{")) {
			t.Fatalf("%v", err)
		}
		if err != nil {
			return
		}
		out := r.Snapshot().AppendDoc(nil)
		if len(out) != r.Len() {
			t.Errorf("%d bytes, Len says %d", len(out), r.Len())
		}
		var want, got map[string]any
		if json.Unmarshal(doc, &want) == nil {
			if err := json.Unmarshal(out, &got); err != nil || !cmp.Equal(want, got) {
				t.Errorf("%s became %s: %v", doc, out, err)
			}
		}
	})
}
