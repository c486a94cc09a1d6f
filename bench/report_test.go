package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSONIsOneObjectALineWithAlwaysTheSameMembers(t *testing.T) {
	won := contest{name: "requests/1-id/64-conns", against: "net/http", unit: "requests/s", target: 0.95}
	lost := contest{name: "memory/heap", against: "limit", unit: "bytes", scale: lessIsBetter, target: 1}
	free := contest{name: "echo", against: "gorilla/websocket", unit: "round trips/s"}

	var out strings.Builder
	report := jsonReporter{&out}
	for _, r := range []result{
		won.result(summary{ours: 60000, theirs: 62000, ratio: 0.97, min: 0.91, max: 1.04}),
		lost.result(summary{ours: 410, theirs: 400, ratio: 0.9756, min: 0.97, max: 0.98}),
		free.result(summary{ours: 1, theirs: 2, ratio: 0.5, min: 0.5, max: 0.5}),
	} {
		if err := report.result(r); err != nil {
			t.Fatal(err)
		}
	}

	want := `{"case":"requests/1-id/64-conns","against":"net/http","unit":"requests/s","ours":60000,"theirs":62000,"ratio":0.97,"min":0.91,"max":1.04,"target":0.95,"ok":true}
{"case":"memory/heap","against":"limit","unit":"bytes","ours":410,"theirs":400,"ratio":0.9756,"min":0.97,"max":0.98,"target":1,"ok":false}
{"case":"echo","against":"gorilla/websocket","unit":"round trips/s","ours":1,"theirs":2,"ratio":0.5,"min":0.5,"max":0.5,"target":null,"ok":true}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTableShowsTheTargetBesideEachRatio(t *testing.T) {
	won := contest{name: "requests/1-id/64-conns", against: "net/http", unit: "requests/s", target: 0.95}
	lost := contest{name: "memory/heap", against: "limit", unit: "bytes", scale: lessIsBetter, target: 1}
	free := contest{name: "echo", against: "gorilla/websocket", unit: "round trips/s"}

	var out strings.Builder
	report := newTableReporter(&out, []contest{won, lost, free})
	for _, r := range []result{
		won.result(summary{ours: 60123.4, theirs: 62000, ratio: 0.97, min: 0.91, max: 1.04}),
		lost.result(summary{ours: 410, theirs: 400, ratio: 0.9756, min: 0.97, max: 0.98}),
		free.result(summary{ours: 108504, theirs: 108000, ratio: 1.0047, min: 1, max: 1.01}),
	} {
		if err := report.result(r); err != nil {
			t.Fatal(err)
		}
	}

	want := `
case                    against                  ours      theirs  unit             ratio  min–max          target
requests/1-id/64-conns  net/http               60,123      62,000  requests/s        0.97  0.91–1.04        ≥ 0.95  ok
memory/heap             limit                     410         400  bytes             0.98  0.97–0.98        ≥ 1     MISS
echo                    gorilla/websocket     108,504     108,000  round trips/s     1.00  1–1.01           –
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFiguresHaveThreeDigits(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 1: "1", 0.946: "0.95", 13.04: "13.0", 187.6: "188", 1234.5: "1,234", 1000000: "1,000,000", -4.5: "-4.50",
	} {
		if got := figure(value); got != want {
			t.Errorf("%v: got %s, want %s", value, got, want)
		}
	}
}
