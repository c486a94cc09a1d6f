package crash

import (
	"encoding/json"
	"slices"

	"github.com/pinned-go/pinned/durability"
)

// rows are all rows on the disk, read without a fence.
func (w *world) rows() map[durability.Tray]durability.Row {
	entries, err := w.disk.Clone().List(background, instance, 1<<62, durability.Filter{})
	if err != nil {
		w.failf("list: %v", err)
	}
	all := make(map[durability.Tray]durability.Row, len(entries))
	for _, e := range entries {
		all[e.Tray] = e.Row
	}
	return all
}

// trayDoc is the document of a tray of the workload.
type trayDoc struct {
	Queue    json.RawMessage   `json:"queue"`
	Feed     json.RawMessage   `json:"feed"`
	Steer    json.RawMessage   `json:"steer"`
	Log      []execution       `json:"log"`
	Done     int               `json:"done"`
	Inbox    json.RawMessage   `json:"~inbox"`
	Attempts *int              `json:"~attempts"`
	Parked   *bool             `json:"~parked"`
	State    json.RawMessage   `json:"~state"`
	Dispatch json.RawMessage   `json:"~dispatch"`
	Ignore   []json.RawMessage `json:"~ignore"`
}

// check holds the rows against the invariants, after every operation: a crash may come
// next.
func (w *world) check() {
	rows := w.rows()
	for name, r := range rows {
		switch name.Namespace {
		case "pinned", "mirror":
			if r.Marked {
				w.failf("%s is marked", name)
			}
		case "work", "kwork", "relay", "sink", "scratch":
			w.checkTray(name, r)
		default:
			w.failf("an unknown row %s", name)
		}
	}
	w.checkValues(rows)
}

// checkTray is about one tray.
func (w *world) checkTray(name durability.Tray, r durability.Row) {
	var d trayDoc
	if err := json.Unmarshal(r.Doc, &d); err != nil {
		w.failf("%s: %v", name, err)
	}
	queued := w.items(name, d.Queue)
	feed, steer := w.items(name, d.Feed), w.items(name, d.Steer)
	if (len(queued) > 0 || d.Inbox != nil) && !r.Marked {
		w.failf("%s has work, and isn't marked: %s", name, r.Doc) // I10
	}
	if d.Attempts != nil && (*d.Attempts < 1 || *d.Attempts > attempts) {
		w.failf("%s: %d attempts", name, *d.Attempts) // I9
	}
	if d.Parked != nil && (!*d.Parked || d.Attempts == nil || *d.Attempts != attempts || len(queued) == 0) {
		w.failf("%s is parked: %s", name, r.Doc) // I9
	}
	sent := w.client.sent[name]
	if name.Namespace == "sink" {
		sent = w.client.sent[durability.Tray{Namespace: "relay", ID: "~"}]
	}
	seen := map[int]bool{}
	for _, n := range queued {
		if seen[n] {
			w.failf("%s has item %d twice: %s", name, n, r.Doc) // I7
		}
		if !slices.Contains(sent, n) {
			w.failf("%s has item %d, which nobody sent", name, n) // I7
		}
		seen[n] = true
	}
	w.checkLog(name, &d, sent)
	if name.Namespace == "work" || name.Namespace == "kwork" {
		// What was admitted in one segment is there whole: the feed has each queued item,
		// and the steer two of it.
		if len(feed) != len(queued) || len(steer) != 2*len(queued) {
			w.failf("%s: a segment was torn: %s", name, r.Doc) // I8
		}
	}
	if name.Namespace == "relay" {
		return
	}
	for _, n := range w.client.acked[name] { // I6
		if !seen[n] && !slices.ContainsFunc(d.Log, func(e execution) bool { return e.N == n }) {
			w.failf("%s has lost item %d, which was acknowledged: %s", name, n, r.Doc)
		}
	}
}

// checkLog is about the effects of a tray: each item's are together, with growing
// counts, and the items are a prefix of those that were admitted.
func (w *world) checkLog(name durability.Tray, d *trayDoc, sent []int) {
	if d.Done != len(d.Log) {
		w.failf("%s: %d done, and %d in the log", name, d.Done, len(d.Log)) // I8
	}
	var order []int
	for i, e := range d.Log {
		if i > 0 && d.Log[i-1].N == e.N {
			if e.Attempt <= d.Log[i-1].Attempt {
				w.failf("%s: deliveries of item %d don't grow: %v", name, e.N, d.Log) // I9
			}
			continue
		}
		if slices.Contains(order, e.N) {
			w.failf("%s: item %d was executed again after others: %v", name, e.N, d.Log) // I9, I11
		}
		order = append(order, e.N)
	}
	at := -1
	for _, n := range order {
		i := slices.Index(sent, n)
		if i <= at {
			w.failf("%s: executed %v, sent %v", name, order, sent) // I8
		}
		at = i
	}
}

// items are the numbers in a queue, those that are taken first.
func (w *world) items(name durability.Tray, entry json.RawMessage) (numbers []int) {
	if entry == nil {
		return nil
	}
	var plain []item
	if entry[0] == '[' {
		if err := json.Unmarshal(entry, &plain); err != nil || len(plain) == 0 {
			w.failf("%s: the queue %s", name, entry)
		}
	} else {
		var taken struct {
			Taken []item `json:"taken"`
			Items []item `json:"items"`
		}
		if err := json.Unmarshal(entry, &taken); err != nil || len(taken.Taken) == 0 {
			w.failf("%s: the queue %s", name, entry)
		}
		plain = slices.Concat(taken.Taken, taken.Items)
	}
	for _, it := range plain {
		numbers = append(numbers, it.N)
	}
	return numbers
}

// objectDoc is the document of the object's own row.
type objectDoc struct {
	Value int            `json:"value"`
	Rang  map[string]int `json:"rang"`
}

// checkValues is about the object's fields, its alarms and the scratch tray.
func (w *world) checkValues(rows map[durability.Tray]durability.Row) {
	c := &w.client
	var object, mirror objectDoc
	for name, into := range map[durability.Tray]*objectDoc{objectRow: &object, mirrorRow: &mirror} {
		if r, ok := rows[name]; ok {
			if err := json.Unmarshal(r.Doc, into); err != nil {
				w.failf("%s: %v", name, err)
			}
		}
	}
	if object.Value < c.value || object.Value > c.values {
		w.failf("the value is %d, acknowledged is %d, sent %d", object.Value, c.value, c.values) // I6, I7
	}
	if object.Value != mirror.Value && (!w.Single || mirror.Value > object.Value) {
		w.failf("two rows of one segment differ: %d and %d", object.Value, mirror.Value) // I8
	}
	var alarms struct {
		Alarms map[string]json.RawMessage `json:"alarms"`
	}
	if r, ok := rows[durability.AlarmTray]; ok {
		if err := json.Unmarshal(r.Doc, &alarms); err != nil || len(alarms.Alarms) == 0 {
			w.failf("alarms: %s", r.Doc)
		}
	}
	for name := range c.set { // I14
		if _, there := alarms.Alarms[name]; !there && object.Rang[name] == 0 {
			w.failf("alarm %s is gone, and never ran", name)
		}
	}
	if _, there := rows[scratch]; there && c.dropped {
		w.failf("the scratch tray is there again")
	}
}

// finish checks the rows after everything is done: nothing is left over.
func (w *world) finish() {
	w.check()
	rows := w.rows()
	for name, r := range rows {
		if r.Marked {
			w.failf("%s is done, and marked: %s", name, r.Doc) // I10
		}
		var d trayDoc
		if name.Namespace == "pinned" || name.Namespace == "mirror" {
			continue
		}
		if err := json.Unmarshal(r.Doc, &d); err != nil {
			w.failf("%s: %v", name, err)
		}
		if d.Queue != nil || d.Feed != nil || d.Steer != nil || d.Inbox != nil || d.Attempts != nil || d.Parked != nil ||
			d.State != nil || d.Dispatch != nil || len(d.Ignore) > 0 {
			w.failf("%s is done, and has left over: %s", name, r.Doc)
		}
	}
	relay := durability.Tray{Namespace: "relay", ID: "~"}
	sink := rows[durability.Tray{Namespace: "sink", ID: "~"}]
	var d trayDoc
	if err := json.Unmarshal(sink.Doc, &d); err != nil {
		w.failf("the sink: %v", err)
	}
	for _, n := range w.client.acked[relay] { // I11
		if !slices.ContainsFunc(d.Log, func(e execution) bool { return e.N == n }) {
			w.failf("item %d was relayed, and never reached the sink", n)
		}
	}
	if _, there := rows[durability.AlarmTray]; there {
		w.failf("alarms are left over")
	}
}
