package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestServerTellsItsAddressesAndEndsWithItsInput(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "echo http://127.0.0.1:7001 http://127.0.0.1:7002; cat")
	s, err := launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if s.address != "127.0.0.1:7001" || s.control != "http://127.0.0.1:7002" {
		t.Errorf("measured at %s, controlled at %s", s.address, s.control)
	}
	if size, err := s.rss(); err != nil || size <= 0 {
		t.Errorf("resident: %v and %v", size, err)
	}
	s.stop()
	if !cmd.ProcessState.Success() {
		t.Errorf("it ended with %v, and should have by itself", cmd.ProcessState)
	}
	s.stop() // twice is fine
}

func TestServerThatEndsAtOnceSaysWhy(t *testing.T) {
	s, err := launch(exec.CommandContext(t.Context(), "sh", "-c", "echo no such module >&2; exit 1"))
	if err == nil || !strings.Contains(err.Error(), "no such module") {
		t.Errorf("got %+v and %v", s, err)
	}
}

func TestOnlyTheEndOfComplaintsIsKept(t *testing.T) {
	var end tail
	for range 1000 {
		if _, err := end.Write([]byte("the same again\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := end.Write([]byte("the last\n")); err != nil {
		t.Fatal(err)
	}
	if text := end.String(); len(text) > tailSize || !strings.HasSuffix(text, "the last") {
		t.Errorf("%d bytes are kept, and they end with %q", len(text), text[max(0, len(text)-20):])
	}
}
