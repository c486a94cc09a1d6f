package peer

import (
	"encoding/json"
	"strings"
)

// state is one that trays can be in.
type state struct {
	name  string
	seed  rows   // are there before
	steps []Step // lead to it
	rows  rows   // of it, beside those of a lane that was only activated
	views map[string]View

	// The other rows are those of the state again after a worker that holds its handlers
	// has taken over, each running dispatch counted once more.
	held rows
	then []Step // once the handlers aren't held any more
	// Those of a lane that was only activated are the other rows when all is done.
	drained rows
	rests   bool // nothing is to be done: the rows stay
}

// activated are the rows of a lane that nothing else has happened to.
var activated = rows{"work/~": `{}`, "relay/~": `{}`, "sink/~": `{}`, "later/~": `{"~v":2}`, "jobs/~": `{}`}

// expected are the rows of a state.
func (s *state) expected() rows { return activated.with(s.rows) }

// takenOver are those after a worker that holds its handlers has taken over.
func (s *state) takenOver() rows {
	all := s.expected()
	for name, doc := range all {
		if !strings.Contains(doc, `"~parked"`) {
			all[name] = strings.Replace(doc, `"~attempts":1`, `"~attempts":2`, 1)
		}
	}
	return all.with(s.held)
}

// done are the rows when nothing is left to do.
func (s *state) done() rows {
	if s.rests {
		return s.takenOver().with(s.drained)
	}
	return activated.with(s.drained)
}

// hold is an item that is held, after its handler has done something else.
func hold(n int, do ...string) Item { return Item{N: n, Do: append(do, "hold")} }

func add(tray string, items ...Item) Step { return Step{Tray: tray, Op: "add", Items: items} }

func steer(items ...int) Step {
	s := Step{Tray: "work", Op: "steer"}
	for _, n := range items {
		s.Items = append(s.Items, Item{N: n})
	}
	return s
}

func send(n int) Step { return Step{Tray: "work", Op: "send", Items: []Item{{N: n}}} }

func data(doc string) Step { return Step{Tray: "work", Op: "data", Data: json.RawMessage(doc)} }

// until waits until the row of a tray has a text in it, or is gone.
func until(tray, text string) Step { return Step{Tray: tray, Op: "until", Text: text} }

func op(tray, name string) Step { return Step{Tray: tray, Op: name} }

func count(tray string, n int) Step { return Step{Tray: tray, Op: "count", N: n} }

const (
	// The peer's fields hold no whole number beyond 2^53.
	numerous = `{"big":9007199254740991,"small":0.1,"spelt":1.50,"tiny":1e-7,` +
		`"text":"é\u2028<&>\"","deep":[[[]],{}],"none":null}`
	held1    = `"queue":[{"n":1,"do":["hold"]}]`
	admitted = `{"key":"k","target":["sink","~"],"outcome":"admitted","cleaned":false}`
	cleaned  = `{"key":"k","target":["sink","~"],"outcome":"admitted","cleaned":true}`
	sunk     = `{"n":101,"do":["hold"],"~admit":"k"}`
)

var states = []state{
	{name: "activated"},

	{
		name: "values",
		steps: []Step{
			count("work", 9007199254740991), {Tray: "work", Op: "label", Text: "x"},
			{Tray: "work", Op: "seen", Seen: []int{1, 2}}, data(numerous),
		},
		rows:  rows{"work/~": `{"count":9007199254740991,"label":"x","seen":[1,2],"data":` + numerous + `}`},
		views: map[string]View{"work": {Count: 9007199254740991, Label: "x", Seen: []int{1, 2}, Data: json.RawMessage(numerous)}},
		rests: true,
	},
	{
		name: "values that are the initial ones again",
		steps: []Step{
			count("work", 3), {Tray: "work", Op: "label", Text: "x"}, {Tray: "work", Op: "seen", Seen: []int{1}}, data(`[1]`),
			count("work", 0), {Tray: "work", Op: "label", Text: "new"}, op("work", "seen"), data(`null`),
		},
		views: map[string]View{"work": {Label: "new"}},
	},
	{
		name: "zero values that aren't the initial ones",
		steps: []Step{
			op("work", "label"), {Tray: "work", Op: "seen", Seen: []int{}}, data(`0`),
		},
		rows:  rows{"work/~": `{"label":"","seen":[],"data":0}`},
		views: map[string]View{"work": {Seen: []int{}, Data: json.RawMessage(`0`)}},
		rests: true,
	},
	{
		name: "values that are stored, and are the initial ones", seed: rows{"work/~": `{"count":0,"label":"new","data":null}`},
		rows:  rows{"work/~": `{"count":0,"label":"new","data":null}`},
		views: map[string]View{"work": {Label: "new"}},
		rests: true,
	},

	{
		name: "a queue", steps: []Step{add("work", hold(1), Item{N: 2}), add("work", Item{N: 3})},
		rows:  rows{"work/~": `!{"queue":[{"n":1,"do":["hold"]},{"n":2},{"n":3}],"~attempts":1}`},
		views: map[string]View{"work": {Queue: []int{1, 2, 3}, Label: "new"}},
	},
	{
		name: "a queue with an insertion", steps: []Step{{Tray: "work", Op: "insert", Items: []Item{hold(1)}}, add("work", Item{N: 2})},
		rows: rows{"work/~": `!{"queue":[{"n":1,"do":["hold"]},{"n":2}],"~attempts":1}`},
	},
	{
		name: "items with members that nobody knows",
		seed: rows{"work/~": `!{"queue":[{"n":1,"do":["hold"],"more":{"x":1.50}},{"n":2,"more":2.50}]}`},
		rows: rows{"work/~": `!{"queue":[{"n":1,"do":["hold"],"more":{"x":1.5}},{"n":2,"more":2.50}],"~attempts":1}`},
	},
	{
		name: "an item that is done", steps: []Step{add("work", Item{N: 5, Do: []string{"state:x", "count"}})},
		rows: rows{"work/~": `{"count":5}`}, rests: true,
	},
	{name: "work that outran its row", seed: rows{"work/~": `{"queue":[{"n":1,"do":["count"]}]}`}, rows: rows{"work/~": `{"count":1}`}, rests: true},
	{name: "a kick without work", steps: []Step{op("work", "kick")}},
	{name: "a mark without work", seed: rows{"work/~": `!{}`}},

	{
		name: "a state", steps: []Step{add("work", hold(1, "state:x"))},
		rows: rows{"work/~": `!{"queue":[{"n":1,"do":["state:x","hold"]}],"~attempts":1,"~state":{"at":"x"}}`},
	},
	{
		name: "a state that is null", steps: []Step{add("work", hold(1, "null"))},
		rows: rows{"work/~": `!{"queue":[{"n":1,"do":["null","hold"]}],"~attempts":1,"~state":null}`},
	},
	{
		name: "a state that is null, and isn't set again", seed: rows{"work/~": `!{` + held1 + `,"~state":null}`},
		rows: rows{"work/~": `!{` + held1 + `,"~state":null,"~attempts":1}`},
	},

	{
		name: "a take of all", steps: []Step{steer(5, 6), add("work", hold(1, "take:2"))},
		rows: rows{"work/~": `!{"queue":[{"n":1,"do":["take:2","hold"]}],"steer":{"taken":[{"n":5},{"n":6}]},"~attempts":1}`},
	},
	{
		name: "a take of some", steps: []Step{steer(5, 6, 7), add("work", hold(1, "take:2"))},
		rows:    rows{"work/~": `!{"queue":[{"n":1,"do":["take:2","hold"]}],"steer":{"taken":[{"n":5},{"n":6}],"items":[{"n":7}]},"~attempts":1}`},
		drained: rows{"work/~": `{"steer":[{"n":7}]}`},
	},
	{
		name: "a take that was partly taken back", steps: []Step{steer(5, 6, 7), add("work", hold(1, "take:3", "untake:2"))},
		rows:    rows{"work/~": `!{"queue":[{"n":1,"do":["take:3","untake:2","hold"]}],"steer":{"taken":[{"n":5}],"items":[{"n":6},{"n":7}]},"~attempts":1}`},
		drained: rows{"work/~": `{"steer":[{"n":6},{"n":7}]}`},
	},
	{
		name: "a take that was taken back", steps: []Step{steer(5, 6), add("work", hold(1, "take:2", "untake:2"))},
		rows:    rows{"work/~": `!{"queue":[{"n":1,"do":["take:2","untake:2","hold"]}],"steer":[{"n":5},{"n":6}],"~attempts":1}`},
		drained: rows{"work/~": `{"steer":[{"n":5},{"n":6}]}`},
	},
	{
		name: "a take that has waited", steps: []Step{add("work", hold(1, "wait")), until("work", `"~attempts"`), steer(5)},
		rows: rows{"work/~": `!{"queue":[{"n":1,"do":["wait","hold"]}],"steer":{"taken":[{"n":5}]},"~attempts":1}`},
	},
	{
		name: "items behind a take", steps: []Step{steer(5), add("work", hold(1, "take:1")), until("work", `"taken"`), steer(6)},
		rows:    rows{"work/~": `!{"queue":[{"n":1,"do":["take:1","hold"]}],"steer":{"taken":[{"n":5}],"items":[{"n":6}]},"~attempts":1}`},
		drained: rows{"work/~": `{"steer":[{"n":6}]}`},
	},
	{
		name: "a take that is done", steps: []Step{steer(5, 6), add("work", Item{N: 1, Do: []string{"take:1"}})},
		rows: rows{"work/~": `{"steer":[{"n":6}]}`}, views: map[string]View{"work": {Steer: []int{6}, Label: "new"}}, rests: true,
	},
	{
		name:    "a take that nobody takes again",
		seed:    rows{"work/~": `!{` + held1 + `,"steer":{"taken":[{"n":5}],"items":[{"n":6}]},"~attempts":1}`},
		rows:    rows{"work/~": `!{` + held1 + `,"steer":[{"n":5},{"n":6}],"~attempts":2}`},
		held:    rows{"work/~": `!{` + held1 + `,"steer":[{"n":5},{"n":6}],"~attempts":2,"~parked":true}`},
		views:   map[string]View{"work": {Queue: []int{1}, Steer: []int{5, 6}, Label: "new", Parked: true}},
		then:    []Step{op("work", "unpark")},
		drained: rows{"work/~": `{"steer":[{"n":5},{"n":6}]}`},
	},
	{
		name: "a take in a row at rest", seed: rows{"work/~": `{"steer":{"taken":[{"n":5}]}}`},
		rows: rows{"work/~": `{"steer":[{"n":5}]}`}, rests: true,
	},
	{
		name: "the form of a take without one", seed: rows{"work/~": `{"steer":{"items":[{"n":5}],"taken":[]},"queue":{}}`},
		rows: rows{"work/~": `{"steer":{"items":[{"n":5}],"taken":[]},"queue":{}}`},
		then: []Step{steer(6)}, drained: rows{"work/~": `{"steer":[{"n":5},{"n":6}],"queue":{}}`},
	},

	{
		name: "an outbox", steps: []Step{send(9), send(9)},
		rows: rows{"work/~": `{"out":{"item":{"n":9},"attempt":2}}`}, views: map[string]View{"work": {Out: 9, Attempt: 2, Label: "new"}},
		rests: true,
	},
	{
		name: "an outbox with another item", steps: []Step{send(9), send(9), send(8)},
		rows: rows{"work/~": `{"out":{"item":{"n":8},"attempt":1}}`}, rests: true,
		then: []Step{send(8)}, drained: rows{"work/~": `{"out":{"item":{"n":8},"attempt":2}}`},
	},
	{name: "an outbox that was acknowledged", steps: []Step{send(9), op("work", "ack")}},
	{
		name: "an outbox of a dispatch", steps: []Step{add("work", hold(1, "send"))},
		rows:    rows{"work/~": `!{"queue":[{"n":1,"do":["send","hold"]}],"out":{"item":{"n":1,"do":["send","hold"]},"attempt":1},"~attempts":1}`},
		held:    rows{"work/~": `!{"queue":[{"n":1,"do":["send","hold"]}],"out":{"item":{"n":1,"do":["send","hold"]},"attempt":2},"~attempts":2}`},
		drained: rows{"work/~": `{"out":{"item":{"n":1,"do":["send","hold"]},"attempt":2}}`},
	},

	{
		name: "parked", seed: rows{"work/~": `!{"queue":[{"n":1,"do":["fail","count"]},{"n":2}]}`},
		rows:  rows{"work/~": `!{"queue":[{"n":1,"do":["fail","count"]},{"n":2}],"~attempts":2,"~parked":true}`},
		views: map[string]View{"work": {Queue: []int{1, 2}, Label: "new", Parked: true}},
		then:  []Step{op("work", "unpark")}, drained: rows{"work/~": `{"count":1}`},
	},
	{
		name: "parked for good", seed: rows{"work/~": `!{"queue":[{"n":1,"do":["fail"]}]}`},
		rows:  rows{"work/~": `!{"queue":[{"n":1,"do":["fail"]}],"~attempts":2,"~parked":true}`},
		rests: true,
	},
	{
		name: "unparked", seed: rows{"work/~": `!{` + held1 + `,"~attempts":2,"~parked":true}`}, steps: []Step{op("work", "unpark")},
		rows: rows{"work/~": `!{` + held1 + `,"~attempts":1}`},
	},
	{
		name: "delivered as often as is allowed", seed: rows{"work/~": `!{` + held1 + `,"~attempts":2}`},
		rows: rows{"work/~": `!{` + held1 + `,"~attempts":2,"~parked":true}`}, rests: true,
	},
	{
		name: "cancelled", steps: []Step{add("work", hold(1), hold(2)), until("work", `"~attempts"`), op("work", "cancel")},
		rows: rows{"work/~": `!{"queue":[{"n":2,"do":["hold"]}],"~attempts":1}`},
	},

	{
		name: "a deletion that waits", steps: []Step{add("work", hold(1), Item{N: 2}), until("work", `"~attempts"`), op("work", "delete")},
		rows:    rows{"work/~": `!{"queue":[{"n":1,"do":["hold"]},{"n":2}],"~attempts":1,"~inbox":[{"command":"delete"}]}`},
		held:    rows{"work/~": ``},
		drained: rows{"work/~": ``},
	},
	{
		name: "a deletion in a row at rest", seed: rows{"work/~": `{"~inbox":[{"command":"delete"}],"count":3}`},
		rows: rows{"work/~": ``}, held: activated,
	},
	{name: "deleted", steps: []Step{count("work", 5), op("work", "delete")}, rows: rows{"work/~": ``}, held: activated},
	{
		name: "deleted, and there again", steps: []Step{count("work", 5), op("work", "delete"), until("work", ""), count("work", 6)},
		rows: rows{"work/~": `{"count":6}`}, rests: true,
	},

	{
		name: "a box", steps: []Step{add("boxes/k", hold(1), Item{N: 2})},
		rows:    rows{"boxes/k": `!{"queue":[{"n":1,"do":["hold"]},{"n":2}],"~attempts":1}`},
		drained: rows{"boxes/k": `{}`},
	},
	{
		name:  "boxes at rest",
		steps: []Step{count("boxes/a", 1), count("boxes/A", 2), count("boxes/é /~", 3), op("boxes/~", "open")},
		rows:  rows{"boxes/a": `{"count":1}`, "boxes/A": `{"count":2}`, "boxes/é /~": `{"count":3}`, "boxes/~": `{}`},
		views: map[string]View{"boxes/A": {Count: 2, Label: "new"}, "boxes/é /~": {Count: 3, Label: "new"}},
		rests: true,
	},
	{
		name: "a box that is dry, and opens again", steps: []Step{add("boxes/k", Item{N: 1}), until("boxes/k", `{}`), count("boxes/k", 4)},
		rows: rows{"boxes/k": `{"count":4}`}, rests: true,
	},
	{name: "a deleted box", steps: []Step{count("boxes/k", 4), op("boxes/k", "delete")}, rows: rows{"boxes/k": ``}},
	{
		name: "shelves", steps: []Step{op("shelf/a", "open"), add("shelf/b", hold(1)), count("shelf/c", 1)},
		rows:    rows{"shelf/a": `{}`, "shelf/b": `!{` + held1 + `,"~attempts":1}`, "shelf/c": `{"count":1}`},
		drained: rows{"shelf/a": `{}`, "shelf/b": `{}`, "shelf/c": `{"count":1}`},
	},
	{
		name: "jobs", steps: []Step{add("jobs", hold(1), Item{N: 2}), add("jobs", Item{N: 3})},
		rows: rows{"jobs/~": `!{"items":[{"n":1,"do":["hold"]},{"n":2},{"n":3}],"~attempts":1}`},
	},
	{name: "jobs that are done", steps: []Step{add("jobs", Item{N: 1}, Item{N: 2})}},

	{
		name: "a version", steps: []Step{add("later", hold(1))},
		rows: rows{"later/~": `!{` + held1 + `,"~v":2,"~attempts":1}`},
	},
	{
		name: "an older version", seed: rows{"later/~": `{"~v":1,"count":7}`}, rows: rows{"later/~": `{"~v":1,"count":7}`},
		views: map[string]View{"later": {Label: "new"}},
		then:  []Step{count("later", 5)}, drained: rows{"later/~": `{"~v":2,"count":5}`},
	},
	{name: "an older version that is marked", seed: rows{"later/~": `!{"~v":1,` + held1 + `}`}},
	{name: "a marked row without a version", seed: rows{"later/~": `!{` + held1 + `}`}},
	{name: "a marked row of a version that should be none", seed: rows{"work/~": `!{"~v":1,` + held1 + `,"extra":1}`}},

	{
		name: "an admission", steps: []Step{add("relay", hold(1, "admit:k"))},
		rows: rows{
			"relay/~": `!{"queue":[{"n":1,"do":["admit:k","hold"]}],"~attempts":1,"~dispatch":[` + admitted + `]}`,
			"sink/~":  `!{"queue":[` + sunk + `],"~attempts":1,"~ignore":["k"]}`,
		},
	},
	{
		name: "an admission made twice", steps: []Step{add("relay", hold(1, "admit:k", "admit:k", "admit:l"))},
		rows: rows{
			"relay/~": `!{"queue":[{"n":1,"do":["admit:k","admit:k","admit:l","hold"]}],"~attempts":1,"~dispatch":[` + admitted +
				`,{"key":"l","target":["sink","~"],"outcome":"admitted","cleaned":false}]}`,
			"sink/~": `!{"queue":[` + sunk + `,{"n":101,"do":["hold"],"~admit":"l"}],"~attempts":1,"~ignore":["k","l"]}`,
		},
	},
	{
		name: "an admission that was absorbed", steps: []Step{add("relay", Item{N: 1, Do: []string{"admit:k"}}, hold(2, "admit:k"))},
		rows: rows{
			"relay/~": `!{"queue":[{"n":2,"do":["admit:k","hold"]}],"~attempts":1,"~dispatch":[{"key":"k","target":["sink","~"],"outcome":"absorbed","cleaned":false}]}`,
			"sink/~":  `!{"queue":[` + sunk + `],"~attempts":1,"~ignore":["k"]}`,
		},
	},
	{
		name: "an admission that is done", steps: []Step{add("relay", Item{N: 1, Do: []string{"admit:k"}})},
		rows: rows{"sink/~": `!{"queue":[` + sunk + `],"~attempts":1}`},
	},
	{
		name: "a key that is remembered", seed: rows{"sink/~": `{"~ignore":["k",["r",1]]}`}, steps: []Step{add("relay", hold(1, "admit:k"))},
		rows: rows{
			"relay/~": `!{"queue":[{"n":1,"do":["admit:k","hold"]}],"~attempts":1,"~dispatch":[{"key":"k","target":["sink","~"],"outcome":"absorbed","cleaned":false}]}`,
			"sink/~":  `{"~ignore":["k",["r",1]]}`,
		},
		drained: rows{"sink/~": `{"~ignore":[["r",1]]}`},
	},
	{
		name: "an admission that was released", seed: rows{"relay/~": `!{"queue":[{"n":1,"do":["admit:k","hold"]}],"~dispatch":[` + cleaned + `]}`},
		rows: rows{"relay/~": `!{"queue":[{"n":1,"do":["admit:k","hold"]}],"~attempts":1,"~dispatch":[` + cleaned + `]}`},
	},
	{
		name: "a key of another kind", seed: rows{
			"relay/~": `!{` + held1 + `,"~dispatch":[{"key":["r",1.0],"target":["sink","~"],"outcome":"absorbed","cleaned":false}]}`,
			"sink/~":  `{"~ignore":[["r",1],7]}`,
		},
		rows: rows{
			"relay/~": `!{` + held1 + `,"~attempts":1,"~dispatch":[{"key":["r",1],"target":["sink","~"],"outcome":"absorbed","cleaned":false}]}`,
			"sink/~":  `{"~ignore":[["r",1],7]}`,
		},
		drained: rows{"sink/~": `{"~ignore":[7]}`},
	},
	{
		name: "an admission into a tray that is gone", seed: rows{
			"relay/~": `!{` + held1 + `,"~dispatch":[{"key":"k","target":["boxes","gone"],"outcome":"admitted","cleaned":false}]}`,
		},
		rows: rows{
			"relay/~": `!{` + held1 + `,"~attempts":1,"~dispatch":[{"key":"k","target":["boxes","gone"],"outcome":"admitted","cleaned":false}]}`,
		},
	},
	{
		name: "an admission into a box", seed: rows{
			"relay/~": `!{` + held1 + `,"~dispatch":[{"key":"k","target":["boxes","b"],"outcome":"admitted","cleaned":false}]}`,
			"boxes/b": `{"~ignore":["k"],"count":3}`,
		},
		rows: rows{
			"relay/~": `!{` + held1 + `,"~attempts":1,"~dispatch":[{"key":"k","target":["boxes","b"],"outcome":"admitted","cleaned":false}]}`,
			"boxes/b": `{"~ignore":["k"],"count":3}`,
		},
		drained: rows{"boxes/b": `{"count":3}`},
	},
	{name: "records without work", seed: rows{"relay/~": `!{"~dispatch":[` + cleaned + `]}`}},

	{
		name:    "entries that no field claims",
		seed:    rows{"work/~": `!{` + held1 + `,"extra":{"big":123456789012345678901234567890,"spelt":1.50},"~later":[1,null]}`},
		rows:    rows{"work/~": `!{` + held1 + `,"~attempts":1,"extra":{"big":123456789012345678901234567890,"spelt":1.5},"~later":[1,null]}`},
		drained: rows{"work/~": `{"extra":{"big":123456789012345678901234567890,"spelt":1.5},"~later":[1,null]}`},
	},
	{
		name: "rows that no tray claims", seed: rows{"pinned/object": `{"note":"kept","more":[1]}`, "gone/~": `{"queue":5}`, "boxes/unread": `{"queue":5}`},
		rows: rows{"pinned/object": `{"note":"kept","more":[1]}`, "gone/~": `{"queue":5}`, "boxes/unread": `{"queue":5}`}, rests: true,
	},
}
