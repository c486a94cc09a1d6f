package alarm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// stored is one alarm as the row holds it. At is there while a failing alarm backs
// off, and is the time of its schedule.
type stored struct {
	Due      *int64          `json:"due"`
	At       int64           `json:"at,omitempty"`
	Every    int64           `json:"every,omitempty"`
	Cron     string          `json:"cron,omitempty"`
	Zone     string          `json:"zone,omitempty"`
	Missed   Missed          `json:"missed,omitempty"`
	Limit    int             `json:"limit,omitempty"`
	Payload  json.RawMessage `json:"payload,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// members are the names of what stored has.
var members = []string{"due", "at", "every", "cron", "zone", "missed", "limit", "payload", "attempts", "error"}

// Parse reads the row's document. Its error names the entry.
func Parse(doc []byte) (*Alarms, error) {
	var row struct {
		Due    *int64                     `json:"due"`
		Alarms map[string]json.RawMessage `json:"alarms"`
	}
	if err := json.Unmarshal(doc, &row); err != nil {
		return nil, fmt.Errorf("the row of alarms: %w", err)
	}
	if row.Due == nil || row.Alarms == nil {
		return nil, errors.New(`the row of alarms: expected "due" and "alarms"`)
	}
	a := &Alarms{byName: make(map[string]*entry, len(row.Alarms))}
	for _, name := range slices.Sorted(maps.Keys(row.Alarms)) {
		e, err := parseEntry(row.Alarms[name])
		if err != nil {
			return nil, fmt.Errorf("entry %q of alarms: %w", name, err)
		}
		a.sets++
		e.name, e.version = name, a.sets
		a.byName[name] = e
	}
	return a, nil
}

func parseEntry(raw []byte) (*entry, error) {
	var s stored
	var extra map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(raw, &s), json.Unmarshal(raw, &extra)); err != nil {
		return nil, err
	}
	if s.Due == nil {
		return nil, errors.New(`expected "due"`)
	}
	if s.Attempts < 0 || s.Every > int64(1<<62/time.Millisecond) {
		return nil, errors.New("a number is out of range")
	}
	for _, name := range members {
		delete(extra, name)
	}
	e := &entry{
		Schedule: Schedule{Every: time.Duration(s.Every) * time.Millisecond, Cron: s.Cron, Zone: s.Zone, Missed: s.Missed, Limit: s.Limit},
		due:      *s.Due, at: *s.Due, payload: s.Payload, attempts: s.Attempts, failure: s.Error, extra: extra,
	}
	if s.At != 0 {
		e.at = s.At
	}
	return e, e.check()
}

// Doc is the row's document, or nil where there are no alarms, and so no row. Each
// alarm is encoded once, when it was changed.
func (a *Alarms) Doc() []byte {
	if len(a.byName) == 0 {
		return nil
	}
	all := a.sorted()
	doc := strconv.AppendInt([]byte(`{"due":`), all[0].due, 10)
	doc = append(doc, `,"alarms":{`...)
	for i, e := range all {
		if i > 0 {
			doc = append(doc, ',')
		}
		if e.raw == nil {
			e.raw = e.encode()
		}
		doc = append(doc, e.raw...)
	}
	return append(doc, "}}"...)
}

// encode is the member of the alarm, with its name.
func (e *entry) encode() []byte {
	return append(append(mustEncode(e.name), ':'), e.value()...)
}

func (e *entry) value() json.RawMessage {
	s := stored{
		Due: &e.due, Every: e.Every.Milliseconds(), Cron: e.Cron, Zone: e.Zone, Missed: e.Missed, Limit: e.Limit,
		Payload: e.payload, Attempts: e.attempts, Error: e.failure,
	}
	if s.Missed == Once {
		s.Missed = ""
	}
	if e.at != e.due {
		s.At = e.at
	}
	raw := mustEncode(s)
	if len(e.extra) == 0 {
		return raw
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		panic("alarm: " + err.Error())
	}
	maps.Copy(all, e.extra)
	return mustEncode(all)
}

// mustEncode encodes what always can be.
func mustEncode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("alarm: " + err.Error())
	}
	return b
}
