package package_with_tests

import "testing"

func TestLamp(t *testing.T) {
	if got := new(Lamp).Get(); got != "on" {
		t.Error(got, new(FakeLamp))
	}
}
