package storetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/pinned-go/pinned/durability"
)

var (
	room   = durability.Key{Namespace: "/rooms", ID: "lobby"}
	other  = durability.Key{Namespace: "/rooms", ID: "attic"}
	object = durability.Tray{Namespace: "pinned", ID: "object"}
	work   = durability.Tray{Namespace: "work", ID: "~"}
)

func row(format string, args ...any) durability.Row {
	return durability.Row{Doc: fmt.Appendf(nil, format, args...)}
}

func put(tray durability.Tray, n int) durability.Put {
	return durability.Put{Tray: tray, Row: row(`{"n":%d}`, n)}
}

// must fails the check when something did that had to succeed.
func (t *tester) must(what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// want checks what an operation ended with.
func (t *tester) want(what string, v verdict, err error) {
	t.Helper()
	if got := judge(err); got != v {
		t.Errorf("%s: %v, want %s", what, err, [...]string{
			"success", "a *durability.FenceLost", "a *durability.RejectedError", "a *durability.UnknownError", "an error that says nothing changed",
		}[v])
	}
}

func fenceOfWrites(t *tester) {
	t.must("put at epoch 0", t.put(room, 0, object, row(`{"n":1}`)))
	t.must("put at epoch 3", t.put(room, 3, object, row(`{"n":2}`)))
	t.want("put at epoch 2", fenced, t.put(room, 2, object, row(`{"n":3}`)))
	t.want("delete at epoch 2", fenced, t.remove(room, 2, object))
	t.want("batch at epoch 0", fenced, t.apply(room, 0, put(object, 4), put(work, 4)))
	t.want("empty batch at epoch 0", fenced, t.fence(room, 0))
	t.must("put at epoch 3 again", t.put(room, 3, object, row(`{"n":5}`)))
	t.must("delete at epoch 4", t.remove(room, 4, work)) // nothing is there, and the epoch moves
	t.want("put at epoch 3", fenced, t.put(room, 3, object, row(`{"n":6}`)))
	t.must("batch at a great epoch", t.apply(room, 1<<62, put(object, 7)))
	t.want("put at epoch 4", fenced, t.put(room, 4, object, row(`{"n":8}`)))
	// Another instance has an epoch of its own.
	t.must("put at epoch 0 of another", t.put(other, 0, object, row(`{"n":9}`)))
}

// fence acquires an instance without writing a row: by an empty batch, or by a read with a
// store that has no batches.
func (t *tester) fence(key durability.Key, epoch int64) error {
	t.Helper()
	if _, ok := t.store.(durability.Batcher); ok {
		return t.apply(key, epoch)
	}
	return t.get(key, epoch, object)
}

func fenceOfReads(t *tester) {
	t.must("get of nothing at epoch 0", t.get(room, 0, object))
	t.must("put", t.put(room, 1, object, row(`{"n":1}`)))
	t.must("get at epoch 1", t.get(room, 1, object))
	t.want("get at epoch 0", fenced, t.get(room, 0, object))
	t.want("list at epoch 0", fenced, t.list(room, 0, durability.Filter{}))
	t.must("get at epoch 4", t.get(room, 4, object))
	t.want("put at epoch 3, after a get at 4", fenced, t.put(room, 3, object, row(`{"n":2}`)))
	t.must("list at epoch 6", t.list(room, 6, durability.Filter{Limit: 1}))
	t.want("get at epoch 5, after a list at 6", fenced, t.get(room, 5, object))
	t.must("list of nothing at epoch 2", t.list(other, 2, durability.Filter{}))
	t.want("put at epoch 1, after a list of nothing at 2", fenced, t.put(other, 1, object, row(`{}`)))
}

func fenceOfMany(t *tester) {
	if _, ok := t.store.(durability.MultiBatcher); !ok {
		t.Skip("it is no MultiBatcher")
	}
	var batches []durability.Batch
	for i := range 20 {
		key := durability.Key{Namespace: "/rooms", ID: strconv.Itoa(i)}
		t.must("put", t.put(key, int64(i), object, row(`{"n":0}`)))
		batches = append(batches, durability.Batch{Key: key, Epoch: 10, Ops: []durability.Op{put(object, i), put(work, i)}})
	}
	for i, err := range t.applyAll(batches...) {
		if i > 10 {
			t.want(fmt.Sprintf("batch at epoch 10 with %d stored", i), fenced, err)
		} else {
			t.want(fmt.Sprintf("batch at epoch 10 with %d stored", i), done, err)
		}
	}
	for _, b := range batches {
		t.verify(b.Key)
	}
	if errs := t.applyAll(); len(errs) > 0 {
		t.Errorf("no batches: %v", errs)
	}
}

func negativeEpochs(t *tester) {
	t.want("put", rejected, t.put(room, -1, object, row(`{}`)))
	t.want("delete", rejected, t.remove(room, -1, object))
	t.want("get", rejected, t.again("get", func() error { _, _, err := t.store.Get(t.Context(), room, -1, object); return err }))
	t.want("list", rejected, t.again("list", func() error { _, err := t.store.List(t.Context(), room, -1, durability.Filter{}); return err }))
	t.want("adopt from", rejected, t.adopt(room, -1, 1))
	if _, ok := t.store.(durability.Batcher); ok {
		t.want("batch", rejected, t.apply(room, -1, put(object, 1)))
	}
}

func adopting(t *tester) {
	t.must("from 0, with nothing stored", t.adopt(room, 0, 2))
	t.must("put at epoch 2", t.put(room, 2, object, row(`{"n":1}`)))
	t.want("from 1, with 2 stored", fenced, t.adopt(room, 1, 5))
	t.want("from 3, with 2 stored", fenced, t.adopt(room, 3, 5))
	t.want("from 3, with nothing stored", fenced, t.adopt(other, 3, 5))
	t.want("to the same epoch", rejected, t.adopt(room, 2, 2))
	t.want("to a lower epoch", rejected, t.adopt(room, 2, 1))
	t.must("from 2, with 2 stored", t.adopt(room, 2, 1<<40))
	t.want("put at epoch 2, after 2 was left", fenced, t.put(room, 2, object, row(`{"n":2}`)))
	t.must("put at the adopted epoch", t.put(room, 1<<40, object, row(`{"n":3}`)))
}

func rows(t *tester) {
	t.must("get of nothing", t.get(room, 0, object))
	t.must("delete of nothing", t.remove(room, 0, object))
	for n := range 3 {
		t.must("put", t.put(room, 0, object, row(`{"n":%d}`, n)))
		t.must("get", t.get(room, 0, object))
	}
	t.must("put of another row", t.put(room, 0, work, row(`{"items":[1,2]}`)))
	t.must("put of another instance", t.put(other, 0, object, row(`{"other":true}`)))
	t.must("delete", t.remove(room, 0, object))
	t.must("get of what is deleted", t.get(room, 0, object))
	t.must("delete of what is deleted", t.remove(room, 0, object))
	t.must("put of what was deleted", t.put(room, 0, object, row(`{}`)))
	t.verify(other)
}

func marksAndPlaces(t *tester) {
	for _, r := range []durability.Row{
		{Marked: true, Doc: []byte(`{"n":1}`)},
		{Doc: []byte(`{"n":1}`), Env: "prod", Hostname: "gpu-1"},
		{Marked: true, Doc: []byte(`{}`), Env: "ünï"},
		{Doc: []byte(`{}`)}, // which is "*" for both again
	} {
		t.must("put", t.put(room, 0, object, r))
		t.must("get", t.get(room, 0, object))
	}
}

func copies(t *tester) {
	given := []byte(`{"n":1}`)
	t.must("put", t.put(room, 0, object, durability.Row{Doc: given}))
	given[5] = '2'
	t.must("get, after the given document was changed", t.get(room, 0, object))
	for range 2 {
		entries, err := t.read(room, 0, durability.Filter{})
		t.must("list", err)
		for _, e := range entries {
			copy(e.Doc, "xxxxxxx")
		}
		var got durability.Row
		t.must("get", t.again("get", func() (err error) {
			got, _, err = t.store.Get(t.Context(), room, 0, object)
			return err
		}))
		if !sameDoc(got.Doc, []byte(`{"n":1}`)) {
			t.Fatalf("a document that was handed out is the stored one: now it is %s", got.Doc)
		}
		copy(got.Doc, "yyyyyyy")
	}
	t.verify(room)
}

func names(t *tester) {
	// All of them differ, and each is an instance, and a row, of its own.
	odd := []string{
		"a", "A", "Á", "á", "a ", " a", "ä", "a\u0308", "İ", "i", "ß", "ss", "%", "_", `\`, "'", `"`, "a/b", "a%2Fb", "\t", "\n",
		"\u65e5\u672c\u8a9e", "\U0001f600", "\U0010ffff", "\ue000", "\u200b", "\x01", "~", "*", "null", "0", strings.Repeat("x", 1024),
	}
	for i, id := range odd {
		key := durability.Key{Namespace: "/rooms", ID: id}
		t.must(fmt.Sprintf("put to the instance %q", id), t.put(key, int64(i), object, row(`{"n":%d}`, i)))
		t.must(fmt.Sprintf("put to the row %q", id), t.put(room, 1, durability.Tray{Namespace: "members", ID: id}, row(`{"n":%d}`, i)))
	}
	for _, id := range odd {
		t.verify(durability.Key{Namespace: "/rooms", ID: id})
		t.must("get", t.get(room, 1, durability.Tray{Namespace: "members", ID: id}))
	}
	t.must("a row of an upper-case namespace", t.put(room, 1, durability.Tray{Namespace: "MEMBERS", ID: "a"}, row(`{}`)))
	t.must("an instance of another namespace", t.put(durability.Key{Namespace: "/ROOMS", ID: room.ID}, 0, object, row(`{}`)))
	t.verify(room)
	// A name that is too long for a store is rejected as a whole.
	if err := t.put(room, 1, durability.Tray{Namespace: "members", ID: strings.Repeat("y", 1<<20)}, row(`{}`)); err != nil {
		t.want("put of a row with a name of 1 MiB", rejected, err)
	}
}

func badNames(t *tester) {
	for _, bad := range []string{"a\x00b", "\xff", "\xed\xa0\x80"} {
		tray := durability.Tray{Namespace: "members", ID: bad}
		t.want(fmt.Sprintf("put of the row %q", bad), rejected, t.put(room, 0, tray, row(`{}`)))
		t.want(fmt.Sprintf("delete of the row %q", bad), rejected, t.remove(room, 0, tray))
		t.want(fmt.Sprintf("put of a row of %q", bad), rejected, t.put(room, 0, durability.Tray{Namespace: bad, ID: "~"}, row(`{}`)))
		for _, key := range []durability.Key{{Namespace: "/rooms", ID: bad}, {Namespace: bad, ID: "lobby"}} {
			what := fmt.Sprintf(" of the instance %q", key)
			send := func(op string, do func() error) {
				err := do()
				for n := 0; n < tries && judge(err) >= unknown; n++ {
					err = do()
				}
				t.want(op+what, rejected, err)
			}
			send("put", func() error { return t.store.Put(t.Context(), key, 0, object, row(`{}`)) })
			send("get", func() error { _, _, err := t.store.Get(t.Context(), key, 0, object); return err })
			send("list", func() error { _, err := t.store.List(t.Context(), key, 0, durability.Filter{}); return err })
			send("adopt", func() error { return t.store.Adopt(t.Context(), key, 0, 1) })
		}
		if _, ok := t.store.(durability.Batcher); ok {
			t.want(fmt.Sprintf("batch with the row %q", bad), rejected, t.apply(room, 0, put(object, 1), durability.Put{Tray: tray, Row: row(`{}`)}))
		}
	}
}

func reopened(t *tester) {
	t.must("put", t.put(room, 3, object, row(`{"n":1}`)))
	t.must("put of a marked row", t.put(room, 3, work, durability.Row{Marked: true, Doc: []byte(`{"items":[1]}`), Env: "prod"}))
	t.must("adopt", t.adopt(other, 0, 7))
	t.store = t.open()
	t.verify(room)
	t.verify(other)
	t.want("put at epoch 2", fenced, t.put(room, 2, object, row(`{"n":2}`)))
	t.must("put at epoch 3", t.put(room, 3, object, row(`{"n":3}`)))
}

func documents(t *tester) {
	deep := func(n int) string {
		return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	for name, doc := range map[string]string{
		"nothing":                "{}",
		"spaces":                 " \t\r\n{ \"a\" : 1 } \n",
		"all kinds":              `{"a":null,"b":true,"c":false,"d":[],"e":{},"f":"","g":[[1],{"h":[2]}]}`,
		"no name":                `{"":1}`,
		"quotes and backslashes": `{"\"\\\/\b\f\n\r\t":"\"\\\/\b\f\n\r\t"}`,
		"escapes":                `{"a":"\u00e9\ud83d\ude00\u2028"}`,
		"unicode":                "{\"\u65e5\u672c\u8a9e\":\"" + `ünï ` + "\U0001f600\u200d\ufeff" + `"}`,
		"control characters":     `{"a":"\u0001\u001f"}`,
		"integers":               `{"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551615,"d":123456789012345678901234567890}`,
		"fractions":              `{"a":0.1,"b":1.7976931348623157e308,"c":5e-324,"d":1e-30,"e":3.141592653589793238462643383279,"f":100E2,"g":-0.0}`,
		"NUL":                    `{"a":"\u0000"}`,
		"NUL in a name":          `{"\u0000":1}`,
		"a backslash before NUL": `{"a":"\\u0000"}`,
		"half a surrogate":       `{"a":"\ud800"}`,
		"halves turned round":    `{"a":"\udc00\ud800"}`,
		"a great exponent":       `{"a":1e400}`,
		"a very great exponent":  `{"a":1e400000}`,
		"100 deep":               deep(100),
		"900 deep":               deep(900),
		"9,000 deep":             deep(9_000),
		"1 MiB":                  `{"a":"` + strings.Repeat("x", 1<<20) + `"}`,
		"1 MiB of quotes":        `{"a":"` + strings.Repeat(`\"`, 1<<19) + `"}`,
		"100,000 members":        `{"a":[` + strings.Repeat("1,", 99_999) + `1]}`,
	} {
		t.must("put", t.put(room, 0, object, row(`{"before":1}`)))
		err := t.put(room, 0, object, durability.Row{Doc: []byte(doc)})
		// Whatever the store makes of the odd ones, it says so or keeps them.
		if err != nil {
			t.want("put of a document with "+name, rejected, err)
		}
		if holds := []string{"NUL", "surrog", "halves", "great exponent", "9,000 deep"}; err != nil &&
			!slices.ContainsFunc(holds, func(s string) bool { return strings.Contains(name, s) }) {
			t.Errorf("a document with %s must be held: %v", name, err)
		}
		t.must("get", t.get(room, 0, object))
		// One that can't be held takes no other with it.
		if err != nil {
			t.want("batch with a document with "+name, rejected, t.rejectedBatch(durability.Put{Tray: work, Row: durability.Row{Doc: []byte(doc)}}))
			for i, err := range t.applyAllOrSkip(
				durability.Batch{Key: room, Ops: []durability.Op{durability.Put{Tray: work, Row: durability.Row{Doc: []byte(doc)}}}},
				durability.Batch{Key: other, Ops: []durability.Op{put(object, 1)}},
			) {
				t.want("batches of which the first has a document with "+name, [...]verdict{rejected, done}[i], err)
			}
		}
	}
}

// rejectedBatch sends a batch of which only the last operation can't be.
func (t *tester) rejectedBatch(op durability.Op) error {
	t.Helper()
	if _, ok := t.store.(durability.Batcher); !ok {
		return &durability.RejectedError{}
	}
	return t.apply(room, 0, put(object, 77), op)
}

func (t *tester) applyAllOrSkip(batches ...durability.Batch) []error {
	t.Helper()
	if _, ok := t.store.(durability.MultiBatcher); !ok {
		return nil
	}
	return t.applyAll(batches...)
}

func noObjects(t *tester) {
	t.must("put", t.put(room, 0, object, row(`{"before":1}`)))
	for _, doc := range []string{
		``, ` `, `null`, `1`, `"a"`, `[]`, `{`, `{"a"}`, `{"a":}`, `{"a":1}}`, `{} {}`, `{"a":01}`, `{"a":NaN}`, "{\"a\":\"\n\"}", "{\"a\":\"\xff\"}", "\ufeff{}",
	} {
		bad := durability.Row{Doc: []byte(doc)}
		t.want(fmt.Sprintf("put of %q", doc), rejected, t.put(room, 0, object, bad))
		t.want(fmt.Sprintf("batch with %q", doc), rejected, t.rejectedBatch(durability.Put{Tray: work, Row: bad}))
	}
}

func (t *tester) batcher() {
	t.Helper()
	if _, ok := t.store.(durability.Batcher); !ok {
		t.Skip("it is no Batcher")
	}
}

func order(t *tester) {
	t.batcher()
	t.must("put, delete, put", t.apply(room, 0, put(object, 1), durability.Delete{Tray: object}, put(object, 2)))
	t.must("put, delete", t.apply(room, 0, put(work, 1), durability.Delete{Tray: work}))
	t.must("puts of one row", t.apply(room, 0, put(object, 3), put(object, 4), put(object, 5)))
	t.must("delete, delete, put", t.apply(room, 0, durability.Delete{Tray: object}, durability.Delete{Tray: object}, put(object, 6)))
	t.must("put between others", t.apply(room, 0, put(work, 1), put(object, 7), durability.Delete{Tray: work}, put(object, 8)))
}

func twice(t *tester) {
	t.batcher()
	batch := []durability.Op{put(object, 1), durability.Delete{Tray: work}, put(durability.Tray{Namespace: "members", ID: "a"}, 1)}
	for range 2 {
		t.must("batch", t.apply(room, 2, batch...))
	}
	t.must("batch of nothing", t.apply(room, 2))
}

// otherOp is an operation that no store knows.
type otherOp struct{}

func (otherOp) Op() string { return "other" }

func atomicBatches(t *tester) {
	t.batcher()
	t.must("put", t.apply(room, 3, put(object, 1), put(work, 1)))
	for name, bad := range map[string]durability.Op{
		"an operation that the store doesn't know": otherOp{},
		"no operation": nil,
		"no document":  durability.Put{Tray: object},
	} {
		for place := range 3 {
			batch := slices.Insert([]durability.Op{put(object, 2), durability.Delete{Tray: work}}, place, bad)
			t.want(fmt.Sprintf("batch with %s at place %d", name, place), rejected, t.apply(room, 5, batch...))
		}
	}
	big, gone := make([]durability.Op, 500), make([]durability.Op, 500)
	for i := range big {
		tray := durability.Tray{Namespace: "members", ID: fmt.Sprintf("%04d", i)}
		big[i], gone[i] = put(tray, i), durability.Delete{Tray: tray}
	}
	t.must("batch of 500 rows", t.apply(room, 5, big...))
	t.want("batch of 500 rows at a lower epoch", fenced, t.apply(room, 2, big...))
	t.must("batch of 500 deletes", t.apply(room, 5, gone...))
}

func filters(t *tester) {
	ids := []string{"B", "a", "aa", "ab", "b", "b%", "b_", "bb", "é", "\ue000", "\U0001f600", "\U0010ffff"}
	for i, id := range ids {
		for j, ns := range []string{"m", "M", "work"} {
			t.must("put", t.put(room, 0, durability.Tray{Namespace: ns, ID: id}, durability.Row{Marked: (i+j)%3 == 0, Doc: []byte("{}")}))
		}
	}
	t.must("put", t.put(other, 0, durability.Tray{Namespace: "m", ID: "another's"}, row("{}")))
	yes, no := true, false
	for _, f := range []durability.Filter{
		{},
		{Namespaces: []string{}},
		{Namespaces: []string{}, OrMarked: true},
		{Namespaces: []string{"m"}},
		{Namespaces: []string{"work", "m", "m", "nowhere"}},
		{Namespaces: []string{"m"}, OrMarked: true},
		{OrMarked: true},
		{Marked: &yes},
		{Marked: &no},
		{Namespaces: []string{"m"}, OrMarked: true, Marked: &yes},
		{Namespaces: []string{"m"}, OrMarked: true, Marked: &no},
		{Prefix: "b"}, {Prefix: "b%"}, {Prefix: "b_"}, {Prefix: "B"}, {Prefix: "\U0010ffff"}, {Prefix: "\ue000"}, {Prefix: "é"}, {Prefix: "nowhere"},
		{After: "a"}, {After: "b"}, {After: "B"}, {After: "\ue000"}, {After: "\U0010ffff"},
		{Limit: 1}, {Limit: 5}, {Limit: 1000},
		{Namespaces: []string{"m"}, Prefix: "b", After: "b", Limit: 2},
		{Prefix: "a", After: "b"},
		{Prefix: "b", Marked: &yes, Limit: 3},
	} {
		t.must(fmt.Sprintf("list of %+v", f), t.list(room, 0, f))
	}
}

func pages(t *tester) {
	const all, page = 103, 10
	batch := make([]durability.Op, all)
	for i := range batch {
		batch[i] = put(durability.Tray{Namespace: "history", ID: fmt.Sprintf("%06d", i*7)}, i)
	}
	t.must("batch", t.apply(room, 0, batch...))
	t.must("put of another namespace", t.put(room, 0, durability.Tray{Namespace: "history2", ID: "000001"}, row("{}")))
	n, after := 0, ""
	for {
		entries, err := t.read(room, 0, durability.Filter{Namespaces: []string{"history"}, After: after, Limit: page})
		t.must("list", err)
		for _, e := range entries {
			if want := fmt.Sprintf("%06d", n*7); e.Tray.ID != want {
				t.Fatalf("row %d is %s, want %s", n, e.Tray, want)
			}
			n++
			after = e.Tray.ID
		}
		if len(entries) != page {
			break
		}
	}
	if n != all {
		t.Errorf("%d rows in pages, want %d", n, all)
	}
}

// anyOperations sends what a generator comes up with.
func anyOperations(t *tester) {
	rng := rand.New(rand.NewPCG(1, 2))
	keys := []durability.Key{room, {Namespace: "/rooms", ID: "LOBBY"}, other}
	trays := []durability.Tray{object, work, durability.AlarmTray, {Namespace: "members", ID: "é"}, {Namespace: "members", ID: "e"}, {Namespace: "Members", ID: "e"}}
	op := func() durability.Op {
		tray := trays[rng.IntN(len(trays))]
		if rng.IntN(3) == 0 {
			return durability.Delete{Tray: tray}
		}
		doc, _ := json.Marshal(map[string]any{"n": rng.Int64(), "due": rng.IntN(1000), "s": string([]rune("aé\u2028\U0001f600")[rng.IntN(4)])})
		return durability.Put{Tray: tray, Row: durability.Row{Marked: rng.IntN(2) == 0, Doc: doc}}
	}
	ops := func() []durability.Op {
		all := make([]durability.Op, rng.IntN(5))
		for i := range all {
			all[i] = op()
		}
		return all
	}
	for range 150 {
		key := keys[rng.IntN(len(keys))]
		stored := t.at(key).epoch
		epoch := max(0, stored+int64(rng.IntN(4))-2) // mostly the stored one or below
		if rng.IntN(2) == 0 {
			epoch = stored
		}
		// What each ends with is checked where it is sent.
		switch rng.IntN(6) {
		case 0:
			_ = t.get(key, epoch, trays[rng.IntN(len(trays))])
		case 1:
			_ = t.list(key, epoch, durability.Filter{Namespaces: []string{"members"}, OrMarked: rng.IntN(2) == 0, Limit: rng.IntN(3)})
		case 2:
			_ = t.adopt(key, epoch, epoch+1+int64(rng.IntN(2)))
		case 3:
			switch op := op().(type) {
			case durability.Put:
				_ = t.put(key, epoch, op.Tray, op.Row)
			case durability.Delete:
				_ = t.remove(key, epoch, op.Tray)
			}
		case 4:
			_ = t.apply(key, epoch, ops()...)
		case 5:
			var batches []durability.Batch
			for _, key := range keys {
				batches = append(batches, durability.Batch{Key: key, Epoch: max(0, t.at(key).epoch+int64(rng.IntN(3))-1), Ops: ops()})
			}
			t.applyAllOrSkip(batches...)
		}
	}
	for _, key := range keys {
		t.verify(key)
	}
}
