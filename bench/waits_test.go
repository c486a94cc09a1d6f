package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"testing"
	"time"
)

func TestPercentilesAreOfTheSortedTimes(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	for name, tc := range map[string]struct {
		of   []time.Duration
		p    float64
		want time.Duration
	}{
		"none":                {nil, 0.99, 0},
		"one":                 {[]time.Duration{7}, 0.99, 7},
		"the middle":          {[]time.Duration{3, 1, 2}, 0.5, 2},
		"all but the last":    {hundred, 0.99, 100},
		"half of an even lot": {hundred, 0.5, 51},
	} {
		if got := percentile(tc.of, tc.p); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
}

func TestFlushedDocumentsDifferAndDontCompress(t *testing.T) {
	const size = 64 << 10
	d := newDocuments(size)
	first, second := d.next(), d.next()
	if bytes.Equal(first, second) {
		t.Error("the same document comes twice: a store may skip what doesn't change")
	}
	var doc struct{ Text string }
	if err := json.Unmarshal(second, &doc); err != nil || len(doc.Text) != size {
		t.Fatalf("%d bytes and %v, want %d", len(doc.Text), err, size)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(second); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() < size/2 {
		t.Errorf("it compresses to %d bytes of %d", packed.Len(), size)
	}
}
