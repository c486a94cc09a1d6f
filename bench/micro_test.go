package main

import (
	"testing"
	"time"
)

var kept = make([]byte, 16)

func TestMicroMeasuresTimeAndAllocations(t *testing.T) {
	twice := micro{func(n int) {
		for range n {
			kept = make([]byte, 16)
			kept = make([]byte, 32)
		}
	}}
	none := micro{func(n int) {
		for i := range n {
			kept[0] = byte(i)
		}
	}}
	for name, tc := range map[string]struct {
		micro micro
		want  float64
	}{"two": {twice, 2}, "none": {none, 0}} {
		if got, err := tc.micro.allocations()(t.Context()); err != nil || got != tc.want {
			t.Errorf("%s: got %v allocations and %v", name, got, err)
		}
	}
	if got, err := twice.nanoseconds(time.Millisecond)(t.Context()); err != nil || got <= 0 {
		t.Errorf("got %v ns and %v", got, err)
	}
}
