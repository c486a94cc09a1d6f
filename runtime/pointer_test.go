package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	B     int                 `json:"b"`
	Deep  []map[string]*inner `json:"deep"`
	Bytes []byte              `json:"bytes"`
}

type embedded struct {
	Promoted uint8 `json:"promoted"`
	Hidden   int   `json:"a~/b"`
}

type bodyDoc struct {
	embedded

	A      string          `json:"a"`
	Tilde  bool            `json:"a~/b"`
	Array  [2]int          `json:"array"`
	Inner  *inner          `json:"inner"`
	Items  []inner         `json:"items"`
	Float  float32         `json:"float"`
	ByInt  map[int]string  `json:"byInt"`
	Any    any             `json:"any"`
	Raw    json.RawMessage `json:"raw"`
	Number json.Number     `json:"number"`
	Quoted int64           `json:"quoted,string"`
	When   time.Time       `json:"when"`
	Later  []*time.Time    `json:"later"`
	Skip   int             `json:"-"`
	Plain  map[string]float64
}

func TestPointersOfABody(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"nothing", `{}`, nil},
		{"all of it", `{"a":"x","a~/b":true,"array":[1,2],"inner":{"b":1},"items":[{"b":2}],"float":1.5,"byInt":{"1":"x"},
			"any":[{}],"raw":[1],"number":7,"quoted":"5","when":"2026-01-02T03:04:05Z","later":[null],"Plain":{"x":1},"promoted":255}`, nil},
		{"null anywhere", `{"a":null,"array":null,"inner":null,"items":[null],"when":null,"quoted":null,"byInt":{"1":null}}`, nil},
		{"several at once", `{"a":1,"inner":{"b":"x"},"items":[{"b":1},{"b":1.5},7],"promoted":256}`, []string{
			"/a expected a string", "/inner/b expected an integer", "/items/1/b expected an integer", "/items/2 expected an object",
			"/promoted expected a non-negative integer",
		}},
		{"characters that a pointer escapes", `{"a~/b":1}`, []string{"/a~0~1b expected true or false"}},
		{"arrays in objects in arrays", `{"items":[{"deep":[{"k":{"deep":[{"x":{"b":true}}]}}]}]}`, []string{"/items/0/deep/0/k/deep/0/x/b expected an integer"}},
		{"a key", `{"byInt":{"one":"x","2":3}}`, []string{"/byInt/one expected a name that is an integer", "/byInt/2 expected a string"}},
		{"a case that differs", `{"A":1,"PLAIN":{"x":"y"}}`, []string{"/A expected a string", "/PLAIN/x expected a number"}},
		{"bytes", `{"inner":{"bytes":"***"}}`, []string{"/inner/bytes expected a string in base64"}},
		{"numbers that don't fit", `{"float":1e39,"array":[1e3,99999999999999999999]}`, []string{"/float expected a number", "/array/0 expected an integer", "/array/1 expected an integer"}},
		{"quoted", `{"quoted":5}`, []string{"/quoted expected a string that holds an integer"}},
		{"quoted nonsense", `{"quoted":"x"}`, []string{"/quoted expected a string that holds an integer"}},
		{"quoted object", `{"quoted":{"x":[]},"a":1}`, []string{"/quoted expected a string that holds an integer", "/a expected a string"}},
		{"an object for an array", `{"items":{"b":1},"later":7}`, []string{"/items expected an array", "/later expected an array"}},
		{"what is unknown", `{"x":{"y":[1,{"z":2}]},"-":"x","Skip":"x","Hidden":"x"}`, nil},
		{"the whole", `"x"`, []string{" expected an object"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			var d bodyDoc
			walkBody([]byte(tt.body), &d, func(pointer, detail string) { got = append(got, pointer+" "+detail) })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := json.Unmarshal([]byte(tt.body), &d); (err != nil) != (tt.want != nil) {
				t.Errorf("json.Unmarshal says %v", err)
			}
		})
	}
	var got []string
	walkBody([]byte(`{"when":"soon","later":["x",7]}`), &bodyDoc{}, func(pointer, _ string) { got = append(got, pointer) })
	if diff := cmp.Diff([]string{"/when", "/later/0", "/later/1"}, got); diff != "" {
		t.Errorf("of types with methods of their own (-want +got):\n%s", diff)
	}
}

func TestFaultsOfABodyAreBounded(t *testing.T) {
	body := `{"items":[` + strings.Repeat(`{"b":"x"},`, 50_000) + `{}]}`
	n := 0
	walkBody([]byte(body), &bodyDoc{}, func(string, string) { n++ })
	if n != maxFaults {
		t.Errorf("%d faults", n)
	}
	// A pointer isn't longer than what is logged of anything.
	deep := strings.Repeat(`{"deep":[{"`+strings.Repeat("k", 100)+`":`, 1000) + `{"b":"x"}` + strings.Repeat(`}]}`, 1000)
	walkBody([]byte(deep), &inner{}, func(pointer, _ string) {
		if len(pointer) > 2<<10 {
			t.Errorf("a pointer of %d bytes", len(pointer))
		}
	})
}

func TestMembersThatAreBoundElsewhere(t *testing.T) {
	type request struct {
		Text   string `json:"text"`
		DryRun bool
		Dry    string `json:"dryrun"`
		Nested struct{ DryRun int }
	}
	var v request
	body := []byte(`{ "DryRun" : {"x":[1,"}"]} , "text":"a", "dryRUN":[], "Nested":{"DryRun":7}, "dryrun":"kept", "\u0044ryRun":1}`)
	size := len(body)
	blankMembers(body, &v, []string{"DryRun"})
	if err := json.Unmarshal(body, &v); err != nil || len(body) != size {
		t.Fatalf("%s: %v", body, err)
	}
	// "dryRUN" differs from both in case only: encoding/json takes the first.
	want := request{Text: "a", Dry: "kept"}
	want.Nested.DryRun = 7
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, body := range []string{``, `[`, `{`, `{"DryRun"`, `{"DryRun":`, `7`, `{"DryRun":}`, "{\"a\xff\":1}"} {
		blankMembers([]byte(body), &v, []string{"DryRun"})
	}
}

// FuzzPointers holds the walk of a body against encoding/json: both refuse the
// same bodies, and every pointer leads somewhere.
func FuzzPointers(f *testing.F) {
	type flat struct {
		S string
		I int8
		U []uint16
		F map[string]float64
		P **struct{ B bool }
		A any
		Q int `json:",string"`
		Y []byte
	}
	for _, body := range []string{
		`{}`, `null`, `[]`, `{"S":1,"s":"x"}`, `{"I":128}`, `{"U":[1,-1,"x",{}]}`, `{"F":{"a":"b"}}`, `{"P":{"B":0}}`, `{"A":[{}]}`,
		`{"Q":"1"}`, `{"Q":1}`, `{"Q":"null"}`, `{"Y":"AA=="}`, `{"Y":[1]}`, `{"Y":"A"}`, `{"I":1e2}`, `{"S":{"a":[1]}}`, `{"I":-0}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if !json.Valid([]byte(body)) {
			return
		}
		var v flat
		err := json.Unmarshal([]byte(body), &v)
		var root any
		if json.Unmarshal([]byte(body), &root) != nil {
			return // a number that even any can't hold
		}
		n := 0
		walkBody([]byte(body), &v, func(pointer, detail string) {
			n++
			if err := resolve(root, pointer); err != nil && len(pointer) < maxLogged {
				t.Errorf("%s %s: %v", pointer, detail, err)
			}
		})
		var mismatch *json.UnmarshalTypeError
		if (err == nil) != (n == 0) && (err == nil || errors.As(err, &mismatch)) {
			t.Errorf("json.Unmarshal says %v, the walk has %d faults", err, n)
		}
		if blanked := []byte(body); json.Valid(blanked) {
			blankMembers(blanked, &v, []string{"S", "I"})
			if !json.Valid(blanked) {
				t.Errorf("blanked: %s", blanked)
			}
		}
	})
}

// resolve follows a JSON pointer.
func resolve(v any, pointer string) error {
	if pointer == "" {
		return nil
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[part]
			if !ok {
				return fmt.Errorf("no member %q", part)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(at) {
				// Of a name that came twice, only the last value is there.
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return nil
}
