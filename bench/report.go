package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// result is one line of the report. Its JSON is what -json prints, one object a
// line, always with these members.
type result struct {
	Case    string   `json:"case"`
	Against string   `json:"against"`
	Unit    string   `json:"unit"`
	Ours    float64  `json:"ours"`   // median over the rounds
	Theirs  float64  `json:"theirs"` // likewise
	Ratio   float64  `json:"ratio"`  // median of the rounds' ratios; higher is better
	Min     float64  `json:"min"`    // the worst round's ratio
	Max     float64  `json:"max"`    // the best round's
	Target  *float64 `json:"target"` // the ratio to reach; null: none was set
	OK      bool     `json:"ok"`     // the median reached the target, or there is none
}

func (c contest) result(s summary) result {
	r := result{
		Case: c.name, Against: c.against, Unit: c.unit,
		Ours: s.ours, Theirs: s.theirs, Ratio: s.ratio, Min: s.min, Max: s.max,
		OK: true,
	}
	if c.target > 0 {
		r.Target = &c.target
		r.OK = s.ratio >= c.target
	}
	return r
}

// reporter prints results as they come.
type reporter interface {
	result(r result) error
}

// jsonReporter prints an object a line.
type jsonReporter struct{ to io.Writer }

func (j jsonReporter) result(r result) error {
	return json.NewEncoder(j.to).Encode(r)
}

// tableReporter prints aligned rows under a head.
type tableReporter struct {
	to            io.Writer
	name, against int // widths
	started       bool
}

func newTableReporter(to io.Writer, chosen []contest) *tableReporter {
	t := &tableReporter{to: to, name: len("case"), against: len("against")}
	for _, c := range chosen {
		t.name = max(t.name, len(c.name))
		t.against = max(t.against, len(c.against))
	}
	return t
}

func (t *tableReporter) result(r result) error {
	if !t.started {
		t.started = true
		if err := t.row("case", "against", "ours", "theirs", "unit", "ratio", "min–max", "target", ""); err != nil {
			return err
		}
	}
	target, verdict := "–", ""
	if r.Target != nil {
		target, verdict = "≥ "+figure(*r.Target), "ok"
		if !r.OK {
			verdict = "MISS"
		}
	}
	return t.row(r.Case, r.Against, figure(r.Ours), figure(r.Theirs), r.Unit,
		figure(r.Ratio), figure(r.Min)+"–"+figure(r.Max), target, verdict)
}

func (t *tableReporter) row(name, against, ours, theirs, unit, ratio, spread, target, verdict string) error {
	line := strings.Join([]string{
		right(name, t.name), right(against, t.against), left(ours, 10), left(theirs, 10), right(unit, 13),
		left(ratio, 7), right(spread, 15), right(target, 6), verdict,
	}, "  ")
	_, err := fmt.Fprintln(t.to, strings.TrimRight(line, " "))
	return err
}

// right pads text on the right to a width of characters, left on the left.
func right(text string, width int) string { return text + padding(text, width) }
func left(text string, width int) string  { return padding(text, width) + text }

func padding(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// figure writes a number with three significant digits at least, and no more
// decimals than that takes; thousands are parted by commas.
func figure(value float64) string {
	decimals := 0
	switch size := math.Abs(value); {
	case size == math.Trunc(size):
	case size < 10:
		decimals = 2
	case size < 100:
		decimals = 1
	}
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	whole, rest, pointed := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var groups []string
	for len(whole) > 3 {
		groups = append([]string{whole[len(whole)-3:]}, groups...)
		whole = whole[:len(whole)-3]
	}
	whole = sign + strings.Join(append([]string{whole}, groups...), ",")
	if pointed {
		return whole + "." + rest
	}
	return whole
}
